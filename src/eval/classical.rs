//! The classical evaluation: pieces, threats, passed pawns, space, and how it all becomes one number.

use shakmaty::{Bitboard, Board, Color, Position as _, Rank, Role, Square, attacks};

use super::accumulator::ScoreAccumulator;
use super::endgame;
use super::king;
use super::masks::{self, KING_RING};
use super::passed::passed_pawns;
use super::pawns::Pawns;
use super::trace::Trace;
use super::weights::*;
use super::{PHASE_MAX, SCALE_MAX};
use crate::Position;

/// What the terms ask about one side, gathered once.
pub(super) struct Side {
    pub(super) pieces: Bitboard,
    pub(super) pawns: Bitboard,
    pub(super) minors: Bitboard,
    pub(super) king: Square,
    /// Squares around the king that two own pawns do not guard.
    pub(super) ring: Bitboard,
    /// Own pieces that alone stand between the king and an enemy slider.
    pub(super) pinned: Bitboard,
    /// Where a piece's move counts as mobility.
    mobility_area: Bitboard,
    pub(super) attacked: Bitboard,
    pub(super) attacked_twice: Bitboard,
    pub(super) by_pawn: Bitboard,
    pub(super) by_knight: Bitboard,
    pub(super) by_bishop: Bitboard,
    pub(super) by_rook: Bitboard,
    pub(super) by_queen: Bitboard,
    pub(super) by_king: Bitboard,
    /// Enemy pieces aiming at the ring, and how many squares of it they hit together.
    pub(super) attackers: i32,
    pub(super) ring_hits: i32,
}

impl Side {
    #[inline(always)]
    fn new(us: Color, position: &Position) -> Self {
        let board = position.board();
        let pieces = board.by_color(us);
        let pawns = board.pawns() & pieces;
        let enemy_pawns = board.pawns() & !pieces;
        let king = position.king(us);
        let (left, right) = masks::pawn_attacks(us, pawns);
        let (enemy_left, enemy_right) = masks::pawn_attacks(!us, enemy_pawns);
        let by_king = attacks::king_attacks(king);
        let stuck = pawns & (masks::up(!us, board.occupied()) | masks::rank(us, 1) | masks::rank(us, 2));
        let by_pawn = left | right;
        Self {
            pieces,
            pawns,
            minors: (board.knights() | board.bishops()) & pieces,
            king,
            ring: KING_RING[king.to_usize()] & !(left & right),
            pinned: position.blockers(us) & pieces,
            mobility_area: !(stuck | enemy_left | enemy_right | (pieces & (board.kings() | board.queens()))),
            attacked: by_pawn | by_king,
            attacked_twice: (left & right) | (by_pawn & by_king),
            by_pawn,
            by_knight: Bitboard::EMPTY,
            by_bishop: Bitboard::EMPTY,
            by_rook: Bitboard::EMPTY,
            by_queen: Bitboard::EMPTY,
            by_king,
            attackers: 0,
            ring_hits: 0,
        }
    }

    #[inline(always)]
    fn attack(&mut self, squares: Bitboard) {
        self.attacked_twice |= self.attacked & squares;
        self.attacked |= squares;
    }
}

/// What the terms ask about the position, gathered once. Black comes first.
pub(super) struct EvalInfo<'a> {
    pub(super) board: &'a Board,
    pub(super) occupied: Bitboard,
    pub(super) queens: Bitboard,
    pub(super) sides: [Side; 2],
    pub(super) pawns: &'a Pawns,
}

/// A position's value and what it is made of.
pub(super) struct Evaluation {
    /// The value for White.
    pub(super) value: i32,
    pub(super) phase: i32,
    pub(super) scale: i32,
    pub(super) damping: i32,
    /// Endgame knowledge for White, besides the weights.
    pub(super) knowledge: i32,
    /// White's and Black's king are in danger worth counting.
    pub(super) danger: [bool; 2],
    /// What the kings' danger costs White and Black.
    pub(super) danger_cost: [Pair; 2],
    /// What complexity adds to the endgame value of White.
    pub(super) complexity: i32,
}

/// Evaluates for White; `pawns` is what the pawn table keeps of this structure.
#[inline]
pub(super) fn evaluate<T: Trace>(
    position: &Position,
    weights: &Weights,
    pawns: &Pawns,
    trace: &mut T,
) -> Evaluation {
    let board = position.board();
    let mut sum = ScoreAccumulator::new(weights, trace);
    let mut info = EvalInfo {
        board,
        occupied: board.occupied(),
        queens: board.queens(),
        sides: [Side::new(Color::Black, position), Side::new(Color::White, position)],
        pawns,
    };
    pawns.enter(&mut sum);
    side_pieces::<true, T>(&mut info, &mut sum);
    side_pieces::<false, T>(&mut info, &mut sum);
    let danger = [king::danger(Color::White, &info, &mut sum), king::danger(Color::Black, &info, &mut sum)];
    threats::<true, T>(&info, &mut sum);
    threats::<false, T>(&info, &mut sum);
    if pawns.passed.any() {
        passed_pawns::<true, T>(&info, &mut sum);
        passed_pawns::<false, T>(&info, &mut sum);
    }
    space::<true, T>(&info, &mut sum);
    space::<false, T>(&info, &mut sum);
    sum.add(position.turn(), TEMPO, 0);
    let rights = position.chess().castles().castling_rights();
    if rights.any() {
        sum.add_many(Color::White, CASTLING, 0, (rights & board.white()).count() as i32);
        sum.add_many(Color::Black, CASTLING, 0, (rights & board.black()).count() as i32);
    }
    complexity(&info, &mut sum);
    conclude(position, &info, &sum, danger)
}

/// Material, squares, mobility and whatever depends on one piece and its surroundings.
#[inline(always)]
fn side_pieces<const WHITE: bool, T: Trace>(info: &mut EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let us = Color::from_white(WHITE);
    let pieces = info.sides[us as usize].pieces;
    let board = info.board;
    material(us, info, sum);
    sum.add(us, PST_KING, masks::half_board(us, info.sides[us as usize].king));
    for square in board.knights() & pieces {
        knight(us, square, info, sum);
    }
    for square in board.bishops() & pieces {
        bishop(us, square, info, sum);
    }
    for square in board.rooks() & pieces {
        rook(us, square, info, sum);
    }
    for square in board.queens() & pieces {
        queen(us, square, info, sum);
    }
}

#[inline(always)]
fn material<T: Trace>(us: Color, info: &EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let board = info.board;
    let pieces = info.sides[us as usize].pieces;
    let count = |set: Bitboard| (set & pieces).count() as i32;
    let (pawns, knights) = (count(board.pawns()), count(board.knights()));
    let (bishops, rooks) = (count(board.bishops()), count(board.rooks()));
    sum.add_many(us, MATERIAL, 0, pawns);
    sum.add_many(us, MATERIAL, 1, knights);
    sum.add_many(us, MATERIAL, 2, bishops);
    sum.add_many(us, MATERIAL, 3, rooks);
    sum.add_many(us, MATERIAL, 4, count(board.queens()));
    sum.add_many(us, PIECE_PAWNS, 0, knights * (pawns - 5));
    sum.add_many(us, PIECE_PAWNS, 1, rooks * (pawns - 5));
    let white = info.sides[Color::White as usize].pawns;
    let rammed = (masks::up(Color::White, white) & info.sides[Color::Black as usize].pawns).count() as i32;
    sum.add_many(us, CLOSED, 0, rammed * knights);
    sum.add_many(us, CLOSED, 1, rammed * bishops);
    sum.add_many(us, CLOSED, 2, rammed * rooks);
    if masks::both_shades(board.bishops() & pieces) {
        sum.add(us, BISHOP_PAIR, 0);
    }
    if knights > 1 {
        sum.add(us, REDUNDANCY, 0);
    }
    if rooks > 1 {
        sum.add(us, REDUNDANCY, 1);
    }
}

/// A knight, bishop, rook or queen, and the squares it attacks if it is not pinned.
struct Attacker {
    us: Color,
    role: Role,
    square: Square,
    attacks: Bitboard,
}

/// Enters a piece's attacks into the maps and its mobility and its aim at the enemy king into the sum.
#[inline(always)]
fn enter_attacks<T: Trace>(piece: Attacker, info: &mut EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let Attacker { us, role, square, attacks: mut squares } = piece;
    let side = &mut info.sides[us as usize];
    if side.pinned.contains(square) {
        squares &= attacks::ray(side.king, square);
    }
    side.attack(squares);
    let (map, mobility) = match role {
        Role::Knight => (&mut side.by_knight, MOBILITY_KNIGHT),
        Role::Bishop => (&mut side.by_bishop, MOBILITY_BISHOP),
        Role::Rook => (&mut side.by_rook, MOBILITY_ROOK),
        _ => (&mut side.by_queen, MOBILITY_QUEEN),
    };
    *map |= squares;
    sum.add(us, mobility, (squares & side.mobility_area).count());
    let board = 64 * (role as usize - Role::Pawn as usize);
    sum.add(us, WING_OWN, board + masks::from_wing(us, square, side.king));
    let enemy = &mut info.sides[!us as usize];
    sum.add(us, WING_ENEMY, board + masks::from_wing(us, square, enemy.king));
    let hits = (squares & enemy.ring).count();
    if hits > 0 {
        enemy.attackers += 1;
        enemy.ring_hits += hits as i32;
        sum.endanger(!us, DANGER_ATTACKER, role as usize - Role::Knight as usize, 1);
    }
}

/// Squares in the enemy's half that no enemy pawn can attack any more.
#[inline(always)]
fn outposts(us: Color, info: &EvalInfo) -> Bitboard {
    let ranks = masks::rank(us, 3) | masks::rank(us, 4) | masks::rank(us, 5);
    ranks & !info.pawns.span[!us as usize]
}

#[inline(always)]
fn knight<T: Trace>(us: Color, square: Square, info: &mut EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let squares = attacks::knight_attacks(square);
    enter_attacks(Attacker { us, role: Role::Knight, square, attacks: squares }, info, sum);
    sum.add(us, PST_KNIGHT, masks::half_board(us, square));
    let side = &info.sides[us as usize];
    let outposts = outposts(us, info);
    if outposts.contains(square) {
        sum.add(us, OUTPOST_KNIGHT, usize::from(side.by_pawn.contains(square)));
    } else if (squares & outposts & side.by_pawn & !side.pieces).any() {
        sum.add(us, OUTPOST_REACH, 0);
    }
    minor(us, square, 0, info, sum);
}

#[inline(always)]
fn bishop<T: Trace>(us: Color, square: Square, info: &mut EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let board = info.board;
    let seen_through = info.occupied ^ (info.queens & info.sides[us as usize].pieces);
    let squares = attacks::bishop_attacks(square, seen_through);
    enter_attacks(Attacker { us, role: Role::Bishop, square, attacks: squares }, info, sum);
    sum.add(us, PST_BISHOP, masks::half_board(us, square));
    let side = &info.sides[us as usize];
    if outposts(us, info).contains(square) {
        sum.add(us, OUTPOST_BISHOP, usize::from(side.by_pawn.contains(square)));
    }
    minor(us, square, 1, info, sum);

    let enemy_pawns = board.pawns() & !side.pieces;
    let same_shade = side.pawns & masks::shade(square.is_light());
    let rammed = same_shade & masks::up(!us, enemy_pawns);
    sum.add_many(us, BAD_BISHOP, 0, same_shade.count() as i32);
    sum.add_many(us, BAD_BISHOP, 1, rammed.count() as i32);
    let behind_all = attacks::bishop_attacks(square, Bitboard::EMPTY) & enemy_pawns;
    sum.add_many(us, BISHOP_XRAY_PAWNS, 0, behind_all.count() as i32);
    let past_pieces = attacks::bishop_attacks(square, board.pawns());
    let ring = info.sides[!us as usize].ring;
    if (squares & ring).is_empty() && (past_pieces & ring).any() {
        sum.add(us, RING_XRAY, 0);
    }
    let centre = past_pieces & masks::CENTRE;
    if (centre | (masks::CENTRE & Bitboard::from_square(square))).more_than_one() {
        sum.add(us, LONG_DIAGONAL, 0);
    }
}

/// Terms shared by knights (kind 0) and bishops (kind 1).
#[inline(always)]
fn minor<T: Trace>(us: Color, square: Square, kind: usize, info: &EvalInfo, sum: &mut ScoreAccumulator<T>) {
    if (masks::up(us, square.into()) & info.board.pawns()).any() {
        sum.add(us, BEHIND_PAWN, kind);
    }
    let distance = square.distance(info.sides[us as usize].king);
    sum.add_many(us, KING_PROTECTOR, kind, distance as i32);
}

#[inline(always)]
fn rook<T: Trace>(us: Color, square: Square, info: &mut EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let board = info.board;
    let own_heavy = board.rooks_and_queens() & info.sides[us as usize].pieces;
    let squares = attacks::rook_attacks(square, info.occupied ^ own_heavy);
    enter_attacks(Attacker { us, role: Role::Rook, square, attacks: squares }, info, sum);
    sum.add(us, PST_ROOK, masks::half_board(us, square));

    let side = &info.sides[us as usize];
    let file = Bitboard::from_file(square.file());
    let own_pawns = file & side.pawns;
    let ring = info.sides[!us as usize].ring;
    if (squares & ring).is_empty() && (file & ring).any() {
        sum.add(us, RING_XRAY, 1);
    }
    if own_pawns.is_empty() {
        sum.add(us, ROOK_FILE, usize::from((file & board.pawns()).is_empty()));
    } else {
        if (own_pawns & masks::up(!us, info.occupied)).any() {
            sum.add(us, ROOK_FILE, 2);
        }
        let mobility = (squares & side.mobility_area).count();
        let (rook_file, king_file) = (square.file().to_u32(), side.king.file().to_u32());
        if mobility <= 3 && (king_file < 4) == (rook_file < king_file) {
            sum.add(us, ROOK_TRAPPED, 0);
        }
    }
    if masks::rank(us, 6).contains(square) {
        let targets = (board.pawns() & masks::rank(us, 6)) | (board.kings() & masks::rank(us, 7));
        if (targets & !side.pieces).any() {
            sum.add(us, ROOK_SEVENTH, 0);
        }
    }
}

#[inline(always)]
fn queen<T: Trace>(us: Color, square: Square, info: &mut EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let board = info.board;
    let rook_lines = attacks::rook_attacks(square, info.occupied);
    let bishop_lines = attacks::bishop_attacks(square, info.occupied);
    enter_attacks(Attacker { us, role: Role::Queen, square, attacks: rook_lines | bishop_lines }, info, sum);
    sum.add(us, PST_QUEEN, masks::half_board(us, square));
    // Enemy sliders that would see the queen if the piece between went away.
    let enemy = info.sides[!us as usize].pieces;
    let rooks = attacks::rook_attacks(square, info.occupied & !rook_lines) & board.rooks() & !rook_lines;
    let bishops =
        attacks::bishop_attacks(square, info.occupied & !bishop_lines) & board.bishops() & !bishop_lines;
    if ((rooks | bishops) & enemy).any() {
        sum.add(us, QUEEN_PINNED, 0);
    }
}

/// What stands attacked or can be attacked next move.
#[inline(always)]
fn threats<const WHITE: bool, T: Trace>(info: &EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let us = Color::from_white(WHITE);
    let board = info.board;
    let (own, enemy) = (&info.sides[us as usize], &info.sides[!us as usize]);
    let targets = enemy.pieces & !enemy.pawns;
    let guarded = enemy.by_pawn | (enemy.attacked_twice & !own.attacked_twice);
    let weak = enemy.pieces & !guarded & own.attacked;

    let by_minor = (own.by_knight | own.by_bishop) & ((targets & guarded) | weak);
    let by_rook = own.by_rook & weak;
    for (group, hit) in [(THREAT_MINOR, by_minor), (THREAT_ROOK, by_rook)] {
        if hit.any() {
            let roles = [board.pawns(), board.knights(), board.bishops(), board.rooks(), board.queens()];
            for (role, set) in roles.into_iter().enumerate() {
                sum.add_many(us, group, role, (hit & set).count() as i32);
            }
        }
    }
    if weak.any() {
        if (weak & own.by_king).any() {
            sum.add(us, THREAT_KING, 0);
        }
        sum.add_many(us, HANGING, 0, (weak & !enemy.attacked).count() as i32);
        sum.add_many(us, HANGING, 1, (weak & enemy.attacked & targets & own.attacked_twice).count() as i32);
        sum.add_many(us, WEAK_QUEEN_DEFENCE, 0, (weak & enemy.by_queen).count() as i32);
    }

    let hampered = enemy.attacked & own.attacked & !guarded;
    sum.add_many(us, RESTRICTED, 0, (hampered & info.occupied).count() as i32);
    sum.add_many(us, RESTRICTED, 1, (hampered & !info.occupied).count() as i32);

    let safe = !enemy.attacked | own.attacked;
    let (left, right) = masks::pawn_attacks(us, own.pawns & safe);
    let hit = (left | right) & targets;
    if hit.any() {
        sum.add_many(us, THREAT_PAWN, 0, (hit & enemy.minors).count() as i32);
        sum.add_many(us, THREAT_PAWN, 1, (hit & board.rooks()).count() as i32);
        sum.add_many(us, THREAT_PAWN, 2, (hit & board.queens()).count() as i32);
    }
    let one = masks::up(us, own.pawns) & !info.occupied;
    let two = masks::up(us, one & masks::rank(us, 2)) & !info.occupied;
    let (left, right) = masks::pawn_attacks(us, (one | two) & !enemy.by_pawn & safe);
    sum.add_many(us, THREAT_PUSH, 0, ((left | right) & targets).count() as i32);

    if let Some(queen) = (info.queens & enemy.pieces).single_square() {
        let free = own.mobility_area & !guarded;
        let knights = own.by_knight & attacks::knight_attacks(queen);
        sum.add_many(us, THREAT_QUEEN_NEXT, 0, (knights & free).count() as i32);
        let sliders = (own.by_bishop & attacks::bishop_attacks(queen, info.occupied))
            | (own.by_rook & attacks::rook_attacks(queen, info.occupied));
        let sliders = sliders & free & own.attacked_twice;
        sum.add_many(us, THREAT_QUEEN_NEXT, 1, sliders.count() as i32);
    }
}

/// Room behind the pawns and grip on the centre.
#[inline(always)]
fn space<const WHITE: bool, T: Trace>(info: &EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let us = Color::from_white(WHITE);
    let (own, enemy) = (&info.sides[us as usize], &info.sides[!us as usize]);
    let pieces = (own.pieces & !own.pawns).count() as i32;
    if pieces > 4 {
        let ranks = masks::rank(us, 1) | masks::rank(us, 2) | masks::rank(us, 3);
        let room = ranks & masks::CENTRE_FILES & !own.pawns & !enemy.by_pawn;
        let behind = own.pawns | masks::up(!us, own.pawns);
        let behind = behind | masks::up(!us, behind);
        let squares = room.count() + (room & behind & !enemy.attacked).count();
        sum.add_many(us, SPACE, 0, squares as i32 * pieces / 8);
    }
    let grip = masks::CENTRE & own.attacked & !enemy.by_pawn;
    sum.add_many(us, CENTRE, 0, grip.count() as i32);
}

/// How hard the endgame is to win.
#[inline(always)]
fn complexity<T: Trace>(info: &EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let pawns = info.board.pawns();
    sum.complicate(COMPLEXITY, 0, pawns.count() as i32);
    let queen_side = Bitboard(0x0f0f_0f0f_0f0f_0f0f);
    if (pawns & queen_side).any() && (pawns & !queen_side).any() {
        sum.complicate(COMPLEXITY, 1, 1);
    }
    if (pawns | info.board.kings()) == info.occupied {
        sum.complicate(COMPLEXITY, 2, 1);
    }
    sum.complicate(COMPLEXITY, 3, 1);
    sum.complicate(COMPLEXITY, 4, info.pawns.passed.count() as i32);
    let [black, white] = [info.sides[0].king, info.sides[1].king];
    let crossed = u32::from(white.rank() > Rank::Fourth) + u32::from(black.rank() < Rank::Fifth);
    sum.complicate(COMPLEXITY, 5, crossed as i32);
    // Kings apart sideways can go round each other; kings apart lengthwise are in opposition.
    let (files, ranks) = (white.file().distance(black.file()), white.rank().distance(black.rank()));
    sum.complicate(COMPLEXITY, 6, files as i32 - ranks as i32);
}

/// Blends middle game and endgame, then asks what is known about this kind of endgame.
#[inline(always)]
fn conclude<T: Trace>(
    position: &Position,
    info: &EvalInfo,
    sum: &ScoreAccumulator<T>,
    danger: [bool; 2],
) -> Evaluation {
    let cost = |us: Color, counts: bool| {
        if counts { king::cost(sum.danger[us as usize]) } else { Pair::ZERO }
    };
    let danger_cost = [cost(Color::White, danger[0]), cost(Color::Black, danger[1])];
    let score = sum.score - danger_cost[0] + danger_cost[1];
    let (mg, plain) = (score.mg(), score.eg());
    // Never turns the sign and never makes a step where it turns.
    let complexity = plain.signum() * sum.complexity.eg().clamp(-plain.abs(), plain.abs());
    let eg = plain + complexity;

    let phase = position.phase_material().min(PHASE_MAX);
    let blend = mg * phase + eg * (PHASE_MAX - phase);
    let strong = Color::from_white(blend >= 0);
    let verdict = endgame::judge(position, strong, info.pawns.passed, phase);
    let damping = damping(position.halfmoves());
    let value = blend * verdict.scale / (PHASE_MAX * SCALE_MAX) + verdict.bonus;
    let value = value * damping / SCALE_MAX;
    let (scale, knowledge) = (verdict.scale, verdict.bonus);
    Evaluation { value, phase, scale, damping, knowledge, danger, danger_cost, complexity }
}

/// Plies without a capture or pawn move up to which a value is not damped.
pub(super) const UNDAMPED: u32 = 20;

/// The nearer the fifty-move rule, the nearer the draw.
#[inline(always)]
pub(super) fn damping(halfmoves: u32) -> i32 {
    SCALE_MAX - halfmoves.min(100).saturating_sub(UNDAMPED) as i32 * SCALE_MAX / 200
}
