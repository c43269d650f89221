// The details of a node: board, line, FEN, facts and path.

/** The moves from the root in SAN with their numbers. */
function lineText(rows) {
  const words = [];
  for (const row of rows) {
    if (!row.parent || (!moveOf(row) && !isPass(row.node))) continue;
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

/** The rows from the iteration down to a node. */
async function rowsTo(tree, index) {
  const rows = [];
  const path = await tree.path(index);
  await tree.withReplies(path.slice(-1));
  for (const node of path) rows.push(new Row(node, rows[rows.length - 1] || null, tree));
  return rows;
}

/** Copies text to the clipboard; pages opened from disk may need the older API. */
async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { style: "position:fixed;opacity:0" }, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Quotes a word for any shell. */
const quoted = (text) => (/^[\w.=/+-]+$/.test(text) ? text : `"${text}"`);

/** The command that records a search of a node's position. */
function recordCommand(row) {
  const { meta } = row.tree.recording;
  const sets = meta.options.map(([name, value]) => ` --set ${quoted(`${name}=${value}`)}`).join("");
  const depth = Math.max(1, Math.ceil(row.node.depth / 100)) || 1;
  return `espalier tree record --fen "${row.position.fen()}" --depth ${depth}${sets} --out here.tree`;
}

class Detail {
  constructor(elements, view) {
    this.elements = elements; // { board, fen, line, facts, path, copies }
    this.view = view;
    this.board = new BoardView(elements.board);
    const texts = {
      copy: () => elements.fen.value, "copy-link": () => address.link(),
      "copy-line": () => this.line, "copy-record": () => recordCommand(this.row),
    };
    for (const [id, text] of Object.entries(texts)) {
      const button = elements.copies[id];
      const name = button.textContent;
      button.addEventListener("click", async () => {
        await toClipboard(text());
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = name), 1200);
      });
    }
  }

  show(row) {
    this.row = row;
    const { fen, facts, path, copies } = this.elements;
    this.board.show(row.position, moveOf(row));
    fen.value = row.position.fen();
    this.line = lineText(pathOf(row)) || "the position searched";
    this.crumbs(row);
    facts.replaceChildren(...this.facts(row));
    copies["copy-record"].title = recordCommand(row);
    this.tellReply(row);
    this.view.run(() => this.tellLeftOut(row));
    path.replaceChildren(...pathOf(row).map((each) => this.pathRow(each, each === row)));
    const table = path.closest(".path");
    table.scrollTop = table.scrollHeight; // the selected node is the last row
  }

  /** The line to the node; each move is a link to its node. */
  crumbs(row) {
    const { line, trail } = this.elements;
    line.textContent = this.line;
    trail.replaceChildren(...pathOf(row).map((each) => make("button", {
      class: "link" + (each === row ? " current" : ""), onclick: () => this.view.select(each),
    }, each.name)));
    trail.scrollLeft = trail.scrollWidth;
  }

  /** Shows the refutation or the best reply as a permanent arrow. */
  tellReply({ node }) {
    const moves = node.best === NO_BEST ? [] : node.replies.map(unpackMove).filter(Boolean);
    this.board.answer(moves, node.end.name === "cut-off" ? "refutes" : "best");
  }

  /** Shows the arrow of a child. */
  hover(row) {
    this.board.arrow(row && row.parent === this.row ? moveOf(row) : null);
  }

  facts(row) {
    const { node } = row;
    const shown = seen(node, row.position.white);
    const expected = node.cut === null ? "" : node.cut ? ", cut-off expected" : ", no cut-off expected";
    const children = node.last - node.first;
    const decided = [depthWhy(row, new Eyes(row.position.white)), ...marksOf(node).map((mark) => mark.label)];
    const entries = row.leftOut ? [["Left out", row.leftOut]] : [
      ["Why", node.index === 0 ? "—" : endWhy(row)],
      ["Ended", node.index === 0 ? "—" : node.end.label],
      ["Searched as", node.purpose.label + (node.number ? `, move number ${node.number} here` : "")],
      ["Decided", decided.filter(Boolean).join("; ") || "nothing special"],
      ["Kind", node.kind.label + expected],
      ["Value", `${shown.value} in ${windowText(shown.window)}; static ${shown.eval}`],
      ["Depth", `${plies(node.depth)} left`],
      ["Nodes", `${grouped(node.nodes)} here and below, ${children} ${children === 1 ? "child" : "children"}`],
    ];
    return entries.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]);
  }

  /** Lists the moves that methods left out, after the children are read. */
  async tellLeftOut(row) {
    const { node, tree, position } = row;
    if (row.leftOut || (!node.end.when && !node.leftOut)) return;
    const out = await leftOutOf(tree, node, await tree.children(node), position);
    if (row !== this.row || !out.length) return;
    const text = `${out.length} of ${position.legalMoves().length} moves: ${out.map((each) => each.san).join(" ")}`;
    this.elements.facts.append(make("dt", {}, "Left out"), make("dd", { id: "left-out" }, text));
  }

  pathRow(row, current) {
    const { node } = row;
    const shown = seen(node, row.position.white);
    const why = whyText(row);
    const go = make("button", { class: "link", onclick: () => this.view.select(row) }, row.name);
    return make("tr", { class: current ? "current" : null, "data-index": node.index },
      make("td", {}, make("span", { class: `mark ${node.end.group}` }), go),
      make("td", { class: "number" }, row.leftOut ? "" : shown.value),
      make("td", {}, node.kind.name === "I" ? "" : node.kind.name),
      make("td", { class: "number" }, row.leftOut ? "" : windowText(shown.window)),
      make("td", { class: "number" }, row.leftOut ? "" : depthText(node.depth)),
      make("td", { class: "why", title: why }, endWhy(row)));
  }
}
