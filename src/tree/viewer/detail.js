// What is to be seen of one node: the board, the line, the FEN, the facts and the path to it.

/** The moves from the root in SAN with their numbers. */
function lineText(rows) {
  const words = [];
  for (const row of rows) {
    if (!row.parent || (!row.node.bits && !isPass(row.node))) continue;
    const before = row.parent.position;
    const number = before.white ? `${before.full}.` : words.length === 0 ? `${before.full}…` : "";
    words.push(`${number}${number ? "\u00a0" : ""}${row.name}`);
  }
  return words.join(" ");
}

function pathOf(row) {
  const rows = [];
  for (let here = row; here; here = here.parent) rows.unshift(here);
  return rows;
}

class Detail {
  constructor(elements, view) {
    this.elements = elements; // { board, fen, copy, line, facts, path }
    this.view = view;
    this.board = new BoardView(elements.board);
    elements.copy.addEventListener("click", () => this.copy());
  }

  async copy() {
    const { fen, copy } = this.elements;
    fen.select();
    try {
      await navigator.clipboard.writeText(fen.value);
    } catch {
      document.execCommand("copy"); // pages opened from disk may not reach the clipboard otherwise
    }
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 1200);
  }

  show(row) {
    this.row = row;
    const { fen, line, facts, path } = this.elements;
    this.board.show(row.position, unpackMove(row.node.bits));
    fen.value = row.position.fen();
    line.textContent = lineText(pathOf(row)) || "the position searched";
    facts.replaceChildren(...this.facts(row));
    this.view.run(() => this.tellLeftOut(row));
    path.replaceChildren(...pathOf(row).map((each) => this.pathRow(each, each === row)));
    const table = path.closest(".path");
    table.scrollTop = table.scrollHeight; // the selected node is the last row
  }

  /** The arrow of a child of the node shown. */
  hover(row) {
    this.board.arrow(row && row.parent === this.row ? unpackMove(row.node.bits) : null);
  }

  facts(row) {
    const { node } = row;
    const shown = seen(node, row.position.white);
    const expected = node.cut === null ? "" : node.cut ? ", cut-off expected" : ", no cut-off expected";
    const children = node.last - node.first;
    const entries = [
      ["Ended", node.index === 0 ? "—" : node.end.label],
      ["Searched as", node.purpose.label + (node.number ? `, number ${node.number}` : "")],
      ["Decided", tagsOf(node).filter((tag) => tag !== node.purpose.label).join("; ") || "nothing special"],
      ["Kind", node.kind.label + expected],
      ["Value", `${shown.value} in ${windowText(shown.window)}; static ${shown.eval}`],
      ["Depth", `${depthText(node.depth)} plies left`],
      ["Nodes", `${grouped(node.nodes)} here and below, ${children} ${children === 1 ? "child" : "children"}`],
    ];
    return entries.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]);
  }

  /** Names the moves that a method left out, once the children are read. */
  async tellLeftOut(row) {
    if (!row.node.end.when) return;
    const out = leftOut(row.node, await row.tree.children(row.node), row.position);
    if (row !== this.row || !out.length) return;
    const text = `${out.length} of ${row.position.legalMoves().length} moves: ${out.join(" ")}`;
    this.elements.facts.append(make("dt", {}, "Left out"), make("dd", { id: "left-out" }, text));
  }

  pathRow(row, current) {
    const { node } = row;
    const shown = seen(node, row.position.white);
    const why = [node.index === 0 ? "" : node.end.label, ...tagsOf(node)].filter(Boolean).join("; ");
    const go = make("button", { class: "link", onclick: () => this.view.select(row) }, row.name);
    return make("tr", { class: current ? "current" : null, "data-index": node.index },
      make("td", {}, make("span", { class: `mark ${node.end.group}` }), go),
      make("td", { class: "number" }, shown.value),
      make("td", {}, node.kind.name === "I" ? "" : node.kind.name),
      make("td", { class: "number" }, windowText(shown.window)),
      make("td", { class: "number" }, depthText(node.depth)),
      make("td", { class: "why", title: why }, why));
  }
}
