// The board as SVG. The pieces are drawn here, on squares of 45 by 45, so that they look the same everywhere.

const SVG = "http://www.w3.org/2000/svg";

const BASE = "M11 38 H34 V34.5 Q34 33 32.5 33 H12.5 Q11 33 11 34.5 Z";
const PIECES = {
  P: ["M22.5 9 a5 5 0 0 1 3.6 8.5 q-.6.7-1.4 1.1 c0 6 2 9.4 5.6 12.4 V33 H14.7 V31 c3.6-3 5.6-6.4 5.6-12.4 q-.8-.4-1.4-1.1 A5 5 0 0 1 22.5 9 Z", BASE],
  R: ["M12 9 H16.5 V12.5 H20.2 V9 H24.8 V12.5 H28.5 V9 H33 V17 L30 19.5 V29.5 L32 33 H13 L15 29.5 V19.5 L12 17 Z", BASE],
  N: ["M15 33 C15 25.5 22 24 21.5 19 C19 20.5 17.5 23.5 14.5 24 C12 24.4 10 22 11.2 19.8 L15.6 12.6 L15.4 8 L19.6 10.6 C28.5 10.4 33 17.5 32.6 33 Z", BASE],
  B: ["M22.5 5.5 a2.4 2.4 0 0 1 1.7 4.1 C28.5 13 30.5 17 30.2 21 C30 25 28 27.5 26.5 29 L28 33 H17 L18.5 29 C17 27.5 15 25 14.8 21 C14.5 17 16.5 13 20.8 9.6 A2.4 2.4 0 0 1 22.5 5.5 Z", BASE],
  Q: ["M10 12.5 L15.5 21 L17 10 L22.5 20 L28 10 L29.5 21 L35 12.5 L31.5 30 L32.5 33 H12.5 L13.5 30 Z", BASE],
  K: ["M21 4.5 H24 V7 H26.5 V10 H24 V13.4 C26 14 27 15.4 27.3 17 C30 14.5 35 15.5 35 20.5 C35 25 31 27.5 31 31 V33 H14 V31 C14 27.5 10 25 10 20.5 C10 15.5 15 14.5 17.7 17 C18 15.4 19 14 21 13.4 V10 H18.5 V7 H21 Z", BASE],
};
const LINES = {
  P: "",
  R: "M15 19.5 H30 M15 29.5 H30",
  N: "M18.8 15.2 h.01",
  B: "M22.5 14.5 V21 M19.3 17.7 H25.7 M17.5 29 H27.5",
  Q: "M13.5 30 Q22.5 27.5 31.5 30",
  K: "M14 31 Q22.5 28 31 31 M22.5 17 V27",
};

function svg(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (parent) parent.append(element);
  return element;
}

/** The centre of a square, in squares. */
const centre = (square) => [(square & 7) + 0.5, 7.5 - (square >> 3)];

const MARGIN = 0.45; // width of the coordinates beside the board, in squares

class BoardView {
  constructor(host) {
    this.root = svg("svg", { viewBox: `${-MARGIN} 0 ${8 + MARGIN} ${8 + MARGIN}`, class: "board", role: "img" }, host);
    this.head = `arrow-head-${BoardView.count = (BoardView.count || 0) + 1}`; // a unique id, because the marker of a hidden board cannot be shared
    const definitions = svg("defs", {}, this.root);
    const head = svg("marker", {
      id: this.head, viewBox: "0 0 10 10", refX: 6, refY: 5, markerWidth: 3.4, markerHeight: 3.4, orient: "auto",
    }, definitions);
    svg("path", { d: "M0 0 L10 5 L0 10 Z", fill: "context-stroke" }, head);
    this.squares = svg("g", {}, this.root);
    for (let square = 0; square < 64; square++) this.drawSquare(square);
    this.last = svg("g", {}, this.root);
    this.pieces = svg("g", {}, this.root);
    this.replies = svg("g", { class: "replies" }, this.root);
    this.arrows = svg("g", {}, this.root);
  }

  drawSquare(square) {
    const [x, y] = [square & 7, 7 - (square >> 3)];
    const dark = (x + y) % 2 === 1;
    svg("rect", { x, y, width: 1, height: 1, class: dark ? "dark" : "light" }, this.squares);
    const label = (text, at) => (svg("text", { ...at, class: "coordinate" }, this.squares).textContent = text);
    if (x === 0) label(8 - y, { x: -MARGIN / 2, y: y + 0.5 });
    if (y === 7) label(FILES[x], { x: x + 0.5, y: 8 + MARGIN / 2 });
  }

  /** Shows a position and the move that led to it. */
  show(position, move) {
    this.pieces.replaceChildren();
    this.last.replaceChildren();
    this.arrow(null);
    this.answer([]);
    for (const square of move ? [move.from, move.to] : []) {
      svg("rect", { x: square & 7, y: 7 - (square >> 3), width: 1, height: 1, class: "last" }, this.last);
    }
    position.board.forEach((piece, square) => {
      if (piece) this.drawPiece(piece, square);
    });
    this.root.setAttribute("aria-label", `Board: ${position.fen()}`);
  }

  drawPiece(piece, square) {
    const [x, y] = [square & 7, 7 - (square >> 3)];
    const letter = piece.toUpperCase();
    const scale = 1 / 45;
    const group = svg("g", {
      transform: `translate(${x} ${y}) scale(${scale})`, class: isWhite(piece) ? "piece white" : "piece black",
      "data-piece": piece, "data-square": squareName(square),
    }, this.pieces);
    for (const shape of PIECES[letter]) svg("path", { d: shape, class: "body" }, group);
    if (LINES[letter]) svg("path", { d: LINES[letter], class: "line" }, group);
  }

  /** Shows the move of a child as an arrow, or removes the arrow. */
  arrow(move) {
    this.arrows.replaceChildren();
    if (move) this.draw(move, "arrow", this.arrows);
  }

  /** Shows the best reply and the answer to it as permanent arrows. */
  answer(moves, kind = "best") {
    this.replies.replaceChildren();
    moves.forEach((move, k) => this.draw(move, `arrow ${k === 0 ? kind : "answer"}`, this.replies));
  }

  draw(move, kind, host) {
    const [x1, y1] = centre(move.from);
    const [x2, y2] = centre(move.to);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const short = 0.22 / length;
    svg("line", {
      x1, y1, x2: x2 - (x2 - x1) * short, y2: y2 - (y2 - y1) * short, class: kind, "marker-end": `url(#${this.head})`,
    }, host);
  }
}
