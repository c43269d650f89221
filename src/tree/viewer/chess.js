// The rules of chess that the viewer needs: positions, legal moves, SAN and FEN. Castling is always
// king takes rook, as in the file, so that Chess960 needs no special treatment.

const FILES = "abcdefgh";
const PROMOTIONS = ["", "N", "B", "R", "Q"];
const STEPS = {
  N: [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]],
  B: [[1, 1], [1, -1], [-1, -1], [-1, 1]],
  R: [[1, 0], [0, -1], [-1, 0], [0, 1]],
};
STEPS.Q = STEPS.K = [...STEPS.B, ...STEPS.R];

const squareName = (square) => FILES[square & 7] + ((square >> 3) + 1);
const isWhite = (piece) => piece < "a";

/** The square this many files and ranks away, or -1. */
function shifted(square, dx, dy) {
  const x = (square & 7) + dx;
  const y = (square >> 3) + dy;
  return x < 0 || x > 7 || y < 0 || y > 7 ? -1 : y * 8 + x;
}

/** Decodes the 16 bits of a move; null for none. */
function unpackMove(bits) {
  if (bits === 0) return null;
  return { from: bits & 63, to: (bits >> 6) & 63, promotion: PROMOTIONS[bits >> 12] || "" };
}

const sameMove = (a, b) => a.from === b.from && a.to === b.to && a.promotion === b.promotion;

class Position {
  constructor(board, white, rooks, ep, half, full) {
    this.board = board; // 64 letters as in FEN, "" for an empty square
    this.white = white;
    this.rooks = rooks; // squares of rooks with castling rights
    this.ep = ep; // the en-passant square, or -1
    this.half = half;
    this.full = full;
  }

  static fromFen(fen) {
    const [ranks, turn, castling = "-", ep = "-", half = "0", full = "1"] = fen.trim().split(/\s+/);
    const board = new Array(64).fill("");
    const rows = ranks.split("/");
    if (rows.length !== 8) throw new Error(`${fen} is no position`);
    rows.forEach((row, index) => {
      let x = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") x += Number(letter);
        else board[(7 - index) * 8 + x++] = letter;
      }
    });
    const position = new Position(board, turn === "w", [], -1, Number(half), Number(full));
    for (const letter of castling) if (letter !== "-") position.addRight(letter);
    if (ep !== "-") position.ep = FILES.indexOf(ep[0]) + 8 * (Number(ep[1]) - 1);
    return position;
  }

  addRight(letter) {
    const white = isWhite(letter);
    const wanted = letter.toUpperCase();
    const rank = white ? 0 : 56;
    const rook = white ? "R" : "r";
    const king = this.board.indexOf(white ? "K" : "k");
    const on = (file) => this.board[rank + file] === rook;
    let files = [0, 1, 2, 3, 4, 5, 6, 7].filter(on);
    if (wanted === "K") files = files.filter((file) => rank + file > king).slice(-1);
    else if (wanted === "Q") files = files.filter((file) => rank + file < king).slice(0, 1);
    else files = files.filter((file) => FILES[file].toUpperCase() === wanted);
    for (const file of files) this.rooks.push(rank + file);
  }

  /** The letter of a castling right: K or Q if the rook is the outermost one, else its file. */
  rightLetter(rook) {
    const white = rook < 8;
    const piece = white ? "R" : "r";
    const king = this.board.indexOf(white ? "K" : "k");
    const right = rook > king;
    let outermost = true;
    for (let square = rook + (right ? 1 : -1); square >> 3 === rook >> 3 && square >= 0; square += right ? 1 : -1) {
      if (this.board[square] === piece) outermost = false;
    }
    const letter = outermost ? (right ? "K" : "Q") : FILES[rook & 7].toUpperCase();
    return white ? letter : letter.toLowerCase();
  }

  fen() {
    const rows = [];
    for (let y = 7; y >= 0; y--) {
      const row = this.board.slice(8 * y, 8 * y + 8).map((piece) => piece || "1").join("");
      rows.push(row.replace(/1+/g, (empty) => empty.length));
    }
    const order = [...this.rooks].sort((a, b) => (a >> 3) - (b >> 3) || b - a);
    const rights = order.map((rook) => this.rightLetter(rook)).join("") || "-";
    const ep = this.legalMoves().some((move) => this.isEnPassant(move)) ? squareName(this.ep) : "-";
    return [rows.join("/"), this.white ? "w" : "b", rights, ep, this.half, this.full].join(" ");
  }

  isOwn(piece) {
    return piece !== "" && isWhite(piece) === this.white;
  }

  isEnPassant(move) {
    const pawn = this.board[move.from].toUpperCase() === "P";
    return pawn && move.to === this.ep && (move.from & 7) !== (move.to & 7);
  }

  isCapture(move) {
    return this.isEnPassant(move) || (this.board[move.to] !== "" && !this.isCastling(move));
  }

  isCastling(move) {
    return this.board[move.from].toUpperCase() === "K" && this.isOwn(this.board[move.to]);
  }

  /** Whether a piece of this colour attacks the square. */
  attacked(square, byWhite) {
    const is = (target, letter) =>
      target >= 0 && this.board[target] === (byWhite ? letter : letter.toLowerCase());
    for (const dx of [-1, 1]) if (is(shifted(square, dx, byWhite ? -1 : 1), "P")) return true;
    for (const [dx, dy] of STEPS.N) if (is(shifted(square, dx, dy), "N")) return true;
    for (const [dx, dy] of STEPS.K) {
      let target = shifted(square, dx, dy);
      if (is(target, "K")) return true;
      while (target >= 0 && this.board[target] === "") target = shifted(target, dx, dy);
      if (is(target, "Q") || is(target, dx && dy ? "B" : "R")) return true;
    }
    return false;
  }

  inCheck() {
    return this.attacked(this.board.indexOf(this.white ? "K" : "k"), !this.white);
  }

  /** The position after a legal move. */
  play(move) {
    const board = this.board.slice();
    const { from, to } = move;
    const piece = board[from];
    const pawn = piece.toUpperCase() === "P";
    const capture = board[to] !== "" && !this.isCastling(move);
    const own = (letter) => (this.white ? letter : letter.toLowerCase());
    let ep = -1;
    if (this.isCastling(move)) {
      const right = to > from;
      const rank = from & 56;
      board[from] = board[to] = "";
      board[rank + (right ? 6 : 2)] = own("K");
      board[rank + (right ? 5 : 3)] = own("R");
    } else {
      if (this.isEnPassant(move)) board[to + (this.white ? -8 : 8)] = "";
      board[from] = "";
      board[to] = move.promotion ? own(move.promotion) : piece;
      if (pawn && Math.abs(to - from) === 16) ep = (from + to) / 2;
    }
    const home = this.white ? 0 : 7;
    const kingMoved = piece.toUpperCase() === "K";
    const rooks = this.rooks.filter(
      (rook) => rook !== from && rook !== to && !(kingMoved && rook >> 3 === home));
    const half = pawn || capture ? 0 : this.half + 1;
    return new Position(board, !this.white, rooks, ep, half, this.full + (this.white ? 0 : 1));
  }

  /** The position after a null move, with the same counters. */
  pass() {
    return new Position(this.board, !this.white, this.rooks, -1, this.half, this.full);
  }

  legalMoves() {
    if (!this.moves) this.moves = this.candidates().filter((move) => this.isSafe(move));
    return this.moves;
  }

  isSafe(move) {
    const after = this.play(move);
    return !after.attacked(after.board.indexOf(this.white ? "K" : "k"), !this.white);
  }

  candidates() {
    const moves = [];
    this.board.forEach((piece, from) => {
      if (!this.isOwn(piece)) return;
      const letter = piece.toUpperCase();
      if (letter === "P") this.pawnMoves(from, moves);
      else this.pieceMoves(from, letter, moves);
    });
    for (const rook of this.rooks) this.castling(rook, moves);
    return moves;
  }

  pieceMoves(from, letter, moves) {
    for (const [dx, dy] of STEPS[letter]) {
      let to = shifted(from, dx, dy);
      while (to >= 0 && !this.isOwn(this.board[to])) {
        moves.push({ from, to, promotion: "" });
        if (this.board[to] !== "" || letter === "N" || letter === "K") break;
        to = shifted(to, dx, dy);
      }
    }
  }

  pawnMoves(from, moves) {
    const up = this.white ? 1 : -1;
    const last = this.white ? 7 : 0;
    const add = (to) => {
      const letters = to >> 3 === last ? ["Q", "R", "B", "N"] : [""];
      for (const promotion of letters) moves.push({ from, to, promotion });
    };
    const one = shifted(from, 0, up);
    if (one >= 0 && this.board[one] === "") {
      add(one);
      const two = shifted(from, 0, 2 * up);
      if (from >> 3 === (this.white ? 1 : 6) && this.board[two] === "") add(two);
    }
    for (const dx of [-1, 1]) {
      const to = shifted(from, dx, up);
      if (to < 0) continue;
      if (to === this.ep || (this.board[to] !== "" && !this.isOwn(this.board[to]))) add(to);
    }
  }

  castling(rook, moves) {
    if (rook >> 3 !== (this.white ? 0 : 7)) return;
    const king = this.board.indexOf(this.white ? "K" : "k");
    const rank = king & 56;
    const right = rook > king;
    const ends = [rank + (right ? 6 : 2), rank + (right ? 5 : 3)];
    const between = [];
    const low = Math.min(king, rook, ...ends);
    const high = Math.max(king, rook, ...ends);
    for (let square = low; square <= high; square++) between.push(square);
    if (between.some((square) => square !== king && square !== rook && this.board[square] !== "")) return;
    const step = ends[0] >= king ? 1 : -1;
    for (let square = king; ; square += step) {
      if (this.attacked(square, !this.white)) return;
      if (square === ends[0]) break;
    }
    moves.push({ from: king, to: rook, promotion: "" });
  }

  /** The move in SAN, or null if it is not legal here. */
  san(move) {
    const legal = this.legalMoves();
    if (!legal.some((other) => sameMove(other, move))) return null;
    let text;
    const letter = this.board[move.from].toUpperCase();
    const takes = (this.board[move.to] !== "" || this.isEnPassant(move)) ? "x" : "";
    if (this.isCastling(move)) text = move.to > move.from ? "O-O" : "O-O-O";
    else if (letter === "P") {
      const promotion = move.promotion ? "=" + move.promotion : "";
      text = (takes ? FILES[move.from & 7] + "x" : "") + squareName(move.to) + promotion;
    } else text = letter + this.origin(move, letter, legal) + takes + squareName(move.to);
    const after = this.play(move);
    if (!after.inCheck()) return text;
    return text + (after.legalMoves().length ? "+" : "#");
  }

  /** The disambiguation of the origin square in SAN. */
  origin(move, letter, legal) {
    const rivals = legal.filter((other) => other.to === move.to && other.from !== move.from &&
      this.board[other.from].toUpperCase() === letter && !this.isCastling(other));
    if (rivals.length === 0) return "";
    if (rivals.every((other) => (other.from & 7) !== (move.from & 7))) return FILES[move.from & 7];
    if (rivals.every((other) => other.from >> 3 !== move.from >> 3)) return String((move.from >> 3) + 1);
    return squareName(move.from);
  }
}
