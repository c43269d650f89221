//! Texts for people: the greeting, the help, the board, and what the methods did.

use std::fmt::Write;

use crate::board::Position;
use crate::search::Share;

/// The name the engine gives itself.
pub fn name() -> String {
    format!("Espalier {}", env!("CARGO_PKG_VERSION"))
}

/// For a person at a terminal.
pub fn greeting() -> String {
    format!("{}, a UCI chess engine; help lists the commands, quit ends it", name())
}

/// A method's share of a search.
pub fn share(share: &Share) -> String {
    format!(
        "info string method {:?} attempts {} successes {} ({:.1} %) nodes {} ({:.1} %)",
        share.method,
        share.attempts,
        share.successes,
        100.0 * share.success_rate,
        share.nodes,
        100.0 * share.node_share
    )
}

/// The board as people like to see it, with what identifies the position.
pub fn board(position: &Position) -> String {
    let mut text = String::from("\n +---+---+---+---+---+---+---+---+\n");
    for rank in shakmaty::Rank::ALL.into_iter().rev() {
        for file in shakmaty::File::ALL {
            let piece = position.board().piece_at(shakmaty::Square::from_coords(file, rank));
            let _ = write!(text, " | {}", piece.map_or(' ', |piece| piece.char()));
        }
        let _ = writeln!(text, " | {}\n +---+---+---+---+---+---+---+---+", rank.char());
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let _ = write!(
        text,
        "{} to move\nFen: {}\nKey: {:016X}\nCheckers: {}",
        position.turn().fold_wb("White", "Black"),
        position.fen(),
        position.key(),
        checkers.join(" ")
    );
    text
}

/// What `help` prints.
pub const HELP: &str = "\
uci                      names the engine and its options
isready                  answers readyok, even during a search
setoption name N value V sets an option (espalier options explains them)
ucinewgame               forgets the last game
position startpos|fen F [moves M…]   sets up a position
go [depth|nodes|movetime|mate N] [wtime T btime T winc T binc T movestogo N]
   [searchmoves M…] [ponder] [infinite]   searches; stop ends it
go perft N               counts the legal-move tree, move by move
stop                     ends the search, which answers with its best move
ponderhit                the expected move was played: keep searching, on the clock
quit                     ends the program
d                        board, side to move, FEN, key and checkers
flip                     exchanges the colours and the side to move
eval                     static evaluation: the total, then term by term
bench [DEPTH]            searches a fixed set of positions
debug on|off             with on, counts what every selective method does
setboard FEN, setparam W1 … Wn, gountil MOVE N   used by learners of weights

espalier --help lists what can be done from the command line.";
