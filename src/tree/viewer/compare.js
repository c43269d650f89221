// Compares two recordings of the same position: their first difference, and subtrees that only one of them has.
// Every node has a fingerprint of its subtree, so equal branches are recognised without reading them.

/** Identifies a move with its purpose in both trees; re-searches are numbered. */
function paired(left, right) {
  const key = (node) => `${node.bits}/${node.purpose.name}`;
  const waiting = new Map();
  for (const node of right) {
    const list = waiting.get(key(node)) || [];
    list.push(node);
    waiting.set(key(node), list);
  }
  const pairs = left.map((node) => [node, (waiting.get(key(node)) || []).shift() || null]);
  const met = new Set(pairs.map((pair) => pair[1]));
  for (const node of right) if (!met.has(node)) pairs.push([null, node]);
  return pairs;
}

const FIELDS = [
  ["alpha", "window"], ["beta", "window"], ["depth", "depth"], ["value", "value"], ["bound", "bound"],
];

/** The differences between two nodes of the same move, in words. */
function differences(a, b) {
  const words = new Set();
  for (const [field, word] of FIELDS) if (a[field] !== b[field]) words.add(word);
  if (a.end !== b.end) words.add("reason");
  if (a.marks !== b.marks || a.change !== b.change) words.add("what methods did");
  if (a.nodes !== b.nodes) words.add("size");
  return [...words];
}

/** The first difference in the order of the search: the last node that both entered alike, and the next node
 * of each (none if it had finished). `entered` says what differs on entry, `result` that only results differ. */
async function firstDifference(treeA, treeB) {
  let [a, b] = [await treeA.node(0), await treeB.node(0)];
  if (a.print === b.print) return null;
  for (;;) {
    const entered = [...new Set(FIELDS.slice(0, 3).filter(([field]) => a[field] !== b[field]).map(([, word]) => word))];
    if (entered.length) return { a, b, entered };
    const [left, right] = [await treeA.children(a), await treeB.children(b)];
    const length = Math.max(left.length, right.length);
    let next = null;
    for (let k = 0; k < length && !next; k++) {
      const [x, y] = [left[k] || null, right[k] || null];
      if (!x || !y || x.bits !== y.bits || x.purpose !== y.purpose) return { a, b, next: [x, y] };
      if (x.print !== y.print) next = [x, y];
    }
    if (!next) return { a, b, result: differences(a, b) };
    [a, b] = next;
  }
}

/** What one search did with the move that the other chose, in words; `later` if it only came later or would have. */
async function fate(side, tree, node, position, bits) {
  const children = await tree.children(node);
  const move = unpackMove(bits);
  const name = position.san(move);
  const later = children.find((child) => child.bits === bits && child.number > 0 && !isAgain(child));
  if (later) return { text: `${side} searched ${name} as move ${later.number}`, later: true };
  const out = (await leftOutOf(tree, node, children, position)).find((each) => sameMove(each.move, move));
  if (out) return { text: `${side} left ${name} out (${leftOutRule(node, position, move, out.kept).name})` };
  return node.end.name === "cut-off" ? { text: `${side} cut before ${name}`, later: true } : { text: `${side} did not search ${name}` };
}

/** Why two searches chose different moves at a node, as far as the recordings show. */
async function orderText([x, y], [a, b], [treeA, treeB], position) {
  const fates = [y && (await fate("A", treeA, a, position, y.bits)), x && (await fate("B", treeB, b, position, x.bits))].filter(Boolean);
  const both = fates.map((each) => each.text).join(", ");
  if (fates.length < 2 || !fates.every((each) => each.later)) return both;
  const options = differingOptions(treeA, treeB).length ? " or in the options that differ" : "";
  return `${both}. Only the order of moves differs, and everything before is equal: the cause lies in earlier iterations (hash table, histories)${options}`;
}

/** Where a window comes from: at the root the value of the previous iteration, in a singular test that of the hash move. */
function beforeText([a, b], trees) {
  if (a.purpose.name === "singular-probe" && b.purpose === a.purpose) {
    const [mine, other] = [a.numbers[0], b.numbers[0]];
    return mine === other || mine === NONE || other === NONE ? "" : `; the hash move was worth ${scoreText(mine)} in A and ${scoreText(other)} in B`;
  }
  if (a.purpose.name !== "root" || b.purpose.name !== "root") return "";
  const [before, other] = trees.map(({ recording, summary }) =>
    recording.meta.iterations.find((each) => each.depth === summary.iteration - 1 && each.value !== null));
  if (!before || !other || before.depth !== other.depth) return "";
  return before.value === other.value ? "" : `; iteration ${before.depth} gave ${scoreText(before.value)} in A and ${scoreText(other.value)} in B`;
}

/** The outcome of a probe at a node: `A's multi-cut failed here`. */
function probeText(side, probe, node) {
  const known = LEGEND.probes.find((each) => each.purpose === probe.purpose.code);
  if (!known || node.value === NONE) return null;
  return `${side}'s ${known.name} ${known.ends.includes(node.end.code) ? "cut" : "failed"} here`;
}

/** The names of options that differ between two recordings. */
function differingOptions(treeA, treeB) {
  const [mine, other] = [optionsOf(treeA), optionsOf(treeB)];
  return [...new Set([...mine.keys(), ...other.keys()])].filter((name) => mine.get(name) !== other.get(name));
}

/** The first difference in one sentence; `tree diff` prints the same. */
async function differenceText(difference, treeA, treeB) {
  if (!difference) return "The two trees are equal.";
  const { a, b, entered, next, result } = difference;
  const rows = await rowsTo(treeA, a.index);
  const here = rows[rows.length - 1];
  const line = lineText(rows);
  const probe = /^(move|root|iteration)$/.test(a.purpose.name) ? "" : ` (${a.purpose.label})`;
  const place = (line ? `After ${line}` : "At the root") + probe;
  const named = (node) => (/^(move|root)$/.test(node.purpose.name) ? nameOf(node, here.position) : `${node.bits ? `${nameOf(node, here.position)} as ` : ""}the ${node.purpose.label}`);
  if (entered) {
    const say = (node) => entered.map((word) => (word === "depth" ? `depth ${depthText(node.depth)}` : `window ${windowText([node.alpha, node.beta])}`)).join(" and ");
    const change = (node) => (node.change.code ? `, ${node.change.label}` : "");
    return `${place}, A searched with ${say(a)}${change(a)} and B with ${say(b)}${change(b)}${beforeText([a, b], [treeA, treeB])}.`;
  }
  if (next) {
    const [x, y] = next;
    const did = (node) => (node ? `searched ${named(node)}` : "searched nothing more");
    const sides = [[x, "A", a], [y, "B", b]];
    const probes = sides.map(([node, side, parent]) => node && probeText(side, node, parent)).filter(Boolean);
    const cut = (node, side, parent) => node && /cut here$/.test(probeText(side, node, parent) || "");
    const ends = sides.filter(([node, side, parent]) => !node || (next.every(Boolean) && parent.end !== (parent === a ? b : a).end && !cut(node, side, parent)))
      .map(([, side, parent]) => `${side}: ${parent.end.label}`);
    const order = next.every((node) => !node || node.purpose.name === "move") ? [await orderText(next, [a, b], [treeA, treeB], here.position)] : [];
    const why = [...probes, ...ends, ...order];
    return `${place}, A ${did(x)} and B ${did(y)}${why.length ? `; ${why.join(", ")}` : ""}.`;
  }
  const only = (node, other) => marksOf(node).filter((mark) => !marksOf(other).includes(mark)).map((mark) => mark.label).join(", ");
  const acted = [["A", only(a, b)], ["B", only(b, a)]].filter(([, text]) => text).map(([side, text]) => `; only in ${side}: ${text}`).join("");
  return `${place}, A and B searched the same, but ${result.join(", ") || "what came of it"} ${result.length > 1 ? "differ" : "differs"}${acted}.`;
}

/** Subtrees that only one recording has, largest first; the largest pairs are visited first. */
async function vanished(treeA, treeB, most) {
  const queue = [[await treeA.node(0), await treeB.node(0)]];
  const found = [];
  for (let steps = 0; queue.length && steps < most; steps++) {
    queue.sort((p, q) => p[0].nodes + p[1].nodes - q[0].nodes - q[1].nodes);
    const [a, b] = queue.pop();
    for (const [x, y] of paired(await treeA.children(a), await treeB.children(b))) {
      if (x && y && x.print !== y.print) queue.push([x, y]);
      else if (!x || !y) found.push({ only: x ? "A" : "B", node: x || y });
    }
  }
  return { found: found.sort((p, q) => q.node.nodes - p.node.nodes).slice(0, 40), whole: queue.length === 0 };
}

/** A row that stands for a node of both trees. */
class PairRow {
  constructor(a, b, parent, view) {
    this.a = a;
    this.b = b;
    this.parent = parent;
    this.view = view;
    this.level = parent ? parent.level + 1 : 0;
    const node = a || b;
    const before = parent ? parent.position : Position.fromFen(view.a.recording.meta.fen);
    this.position = parent ? positionAfter(before, node, a ? view.a : view.b) : before;
    this.name = nameOf(node, before);
    this.same = Boolean(a && b && a.print === b.print);
  }

  get hasChildren() {
    return [this.a, this.b].some((node) => node && node.last > node.first);
  }

  async open() {
    const { view, a, b } = this;
    const below = async (tree, node) => (node ? tree.withReplies(await tree.children(node)) : []);
    const pairs = paired(await below(view.a, a), await below(view.b, b));
    this.children = pairs.map(([x, y]) => new PairRow(x, y, this, view));
  }
}

/** The options of a recording that differ from the defaults. */
const optionsOf = (tree) => new Map(tree.recording.meta.options);

const MOST_OPTIONS = 5; // different options shown in a line

/** A sortable table of two numbers with bars to both sides. */
class TotalsTable {
  constructor(rows, changed) {
    this.rows = rows; // { name, group, a, b }
    this.changed = changed;
    [this.by, this.down] = ["apart", true];
    this.body = make("tbody", {});
    const columns = [["name", "Reason"], ["a", "A"], ["b", "B"], ["apart", "B − A"], ["ratio", "B / A"]];
    this.heads = columns.map(([by, text]) => make("th", { "aria-sort": "none" }, make("button", { class: "link", onclick: () => this.sort(by) }, text)));
    this.columns = columns;
    this.table = make("table", { class: "plain totals" }, make("thead", {}, make("tr", {}, ...this.heads, make("th", { class: "mirror" }, "A · B"))), this.body);
    this.list();
  }

  sort(by) {
    this.down = this.by === by ? !this.down : by !== "name";
    this.by = by;
    this.list();
    this.changed();
  }

  /** The sort order for the address; empty for the default. */
  get order() {
    return this.by === "apart" && this.down ? "" : `${this.by}${this.down ? "" : "-up"}`;
  }

  set order(text) {
    const [by, up] = text.split("-");
    const known = this.columns.some(([each]) => each === by);
    [this.by, this.down] = known ? [by, !up] : ["apart", true];
    this.list();
  }

  list() {
    const key = { name: (row) => row.name, a: (row) => row.a, b: (row) => row.b, apart: (row) => Math.abs(row.b - row.a), ratio: (row) => row.b / Math.max(1, row.a) }[this.by];
    const sign = this.down ? -1 : 1;
    const [whole, ...rest] = this.rows;
    rest.sort((p, q) => sign * (key(p) < key(q) ? -1 : key(p) > key(q) ? 1 : 0));
    const most = Math.max(1, ...rest.map((row) => Math.max(row.a, row.b)));
    this.columns.forEach(([by], k) => this.heads[k].setAttribute("aria-sort", by === this.by ? (this.down ? "descending" : "ascending") : "none"));
    const bar = (side, row) => make("span", { class: `half ${side}` }, row === whole ? "" : make("i", { class: `fill ${row.group || ""}`, style: `width:${(100 * row[side]) / most}%` }));
    const number = (text) => make("td", { class: "number" }, text);
    this.body.replaceChildren(...[whole, ...rest].map((row) => make("tr", { class: row === whole ? "whole" : null },
      make("th", { scope: "row" }, row.group ? make("span", { class: `mark ${row.group}` }) : null, row.name), number(grouped(row.a)), number(grouped(row.b)),
      number(`${row.b < row.a ? "−" : "+"}${grouped(Math.abs(row.b - row.a))}`), number(row.a ? (row.b / row.a).toFixed(2) : "–"),
      make("td", { class: "mirror" }, bar("a", row), bar("b", row)))));
  }
}

/** The rows of two trees: all nodes, then nodes by reason. */
function totals(a, b) {
  const ends = [...LEGEND.ends, ...a.recording.own, ...b.recording.own.filter((end) => !a.recording.own.some((other) => other.name === end.name))];
  const rows = ends.map((end) => ({ name: end.label, group: end.group, a: a.summary.ends[end.name] || 0, b: b.summary.ends[end.name] || 0 }));
  return [{ name: "all nodes", a: a.summary.nodes, b: b.summary.nodes }, ...rows.filter((row) => row.a + row.b > 0)];
}

class CompareView {
  constructor(host, events) {
    this.host = host;
    this.events = events; // { openFirst(), openSecond(), reveal(side, index), changed(), failed(error) }
    this.empty(null);
  }

  /** The slot of a recording: its description, and a button to open another. */
  slot(letter, tree, recording) {
    const choose = { id: letter === "A" ? "open-first" : "open-second", onclick: () => (letter === "A" ? this.events.openFirst() : this.events.openSecond()) };
    const told = recording
      ? [make("strong", {}, recording.source.name), ...(tree ? [` iteration ${tree.summary.iteration}, ${grouped(tree.summary.nodes)} nodes`, ...this.differing(tree)] : [])]
      : ["drop a recording here, or"];
    return make("div", { class: `slot ${letter.toLowerCase()}`, "data-slot": letter === "A" ? "first" : "second" },
      make("b", {}, letter), make("div", {}, ...told), make("button", choose, recording ? "other…" : "choose…"));
  }

  /** The options of one side that differ from the other: a few in the line, the rest collapsed. */
  differing(tree) {
    if (!this.a || !this.b) return [];
    const mine = optionsOf(tree);
    const names = differingOptions(this.a, this.b).sort((a, b) => (b === "Preset") - (a === "Preset"));
    if (!names.length) return ["; the same options"];
    const [shown, rest] = [names.slice(0, MOST_OPTIONS), names.slice(MOST_OPTIONS)].map((some) => some.map((name) => `${name}=${mine.get(name) || "default"}`).join(", "));
    const more = names.length - MOST_OPTIONS;
    return [`; ${shown}`, rest ? make("details", {}, make("summary", {}, `and ${more} more that ${more === 1 ? "differs" : "differ"}`), rest) : ""];
  }

  empty(recording) {
    this.turn = (this.turn || 0) + 1;
    [this.a, this.b, this.chosen, this.totals] = [null, null, null, null];
    this.host.replaceChildren(make("div", { class: "slots" }, this.slot("A", null, recording), this.slot("B", null, null)),
      make("div", { class: "blank" }, make("h2", {}, "Compare two recordings"),
        make("p", {}, "Put two recordings of the same position into the two slots, for example one with a method switched on, and see where the two searches first go different ways. Choose or drop both files at once, if you like.")));
  }

  async show(a, b) {
    [this.a, this.b, this.root, this.chosen, this.totals] = [a, b, null, null, null];
    const turn = (this.turn = (this.turn || 0) + 1);
    const fens = [a, b].map((tree) => tree.recording.meta.fen);
    if (fens[0] !== fens[1]) [this.a, this.b] = [null, null];
    const slots = make("div", { class: "slots" }, this.slot("A", a, a.recording), this.slot("B", b, b.recording));
    if (fens[0] !== fens[1]) {
      this.host.replaceChildren(slots, make("div", { class: "blank refused", role: "alert" }, make("h2", {}, "Not the same position"),
        make("p", {}, "These two recordings cannot be compared: they are about two positions."),
        make("p", {}, "A: ", make("code", {}, fens[0])), make("p", {}, "B: ", make("code", {}, fens[1]))));
      return;
    }
    this.first = make("p", { id: "first-difference" }, "looking…");
    this.lost = make("div", { id: "vanished" }, "looking…");
    this.body = make("tbody", {});
    this.boardHost = make("div", { id: "pair-board" });
    this.board = new BoardView(this.boardHost);
    this.pairText = make("p", { class: "hint" }, "");
    this.maps = ["A", "B"].map((side) => this.map(side));
    const names = ["", "A value", "B value", "A nodes", "B nodes", "Difference", "A: why", "B: why"];
    const more = (100 * b.summary.nodes) / Math.max(1, a.summary.nodes);
    this.host.replaceChildren(slots, make("section", { class: "card sentence" }, this.first),
      make("div", { class: "beside" },
        make("section", { class: "card" }, make("h2", {}, `Totals by reason: B has ${more.toFixed(1)} % of the nodes of A`), (this.totals = new TotalsTable(totals(a, b), this.events.changed)).table),
        make("section", { class: "card" }, make("h2", {}, "Where they part"), this.boardHost, this.pairText)),
      make("section", { class: "card" }, make("h2", {}, "Both maps"), make("p", { class: "hint" }, "A click goes in one level, in both."), make("div", { class: "maps" }, ...this.maps.map((map) => map.card))),
      make("section", { class: "card" }, make("h2", {}, "Both trees"),
        make("p", { class: "hint" }, "Grey branches are equal. Arrow keys and Enter work on the rows."),
        make("table", { class: "plain pairs" }, make("thead", {}, make("tr", {}, ...names.map((name) => make("th", {}, name)))), this.body)),
      make("section", { class: "card" }, make("h2", {}, "Subtrees only one of them has"), this.lost));
    this.root = new PairRow(await a.node(0), await b.node(0), null, this);
    await this.root.open();
    for (const row of this.root.children) await row.open();
    this.list();
    for (const map of this.maps) map.begin();
    await this.explain(turn);
  }

  /** The treemap of one side; the other follows where it can. */
  map(side) {
    const tree = side === "A" ? this.a : this.b;
    const map = new TreeMap(tree, { reveal: (index) => this.events.reveal(side, index), failed: this.events.failed, changed: () => this.follow(map).then(() => this.events.changed()),
      recoloured: (name) => this.maps.forEach((each) => each.colour.value !== name && each.recolour(name)) });
    map.card.prepend(make("h3", {}, side));
    return map;
  }

  /** Shows the same line in the other treemap, as far as it exists there. */
  async follow(map) {
    const other = this.maps.find((each) => each !== map);
    let index = 0;
    for (const row of map.trail.slice(1)) {
      const found = (await other.tree.children(await other.tree.node(index))).filter((node) => node.bits === row.node.bits && node.purpose === row.node.purpose).pop();
      if (!found) break;
      index = found.index;
    }
    if (other.top !== index) await other.goTo(index);
  }

  /** The sentence, the board, and subtrees that only one side has. */
  async explain(turn) {
    const difference = await firstDifference(this.a, this.b);
    const text = await differenceText(difference, this.a, this.b);
    if (turn !== this.turn) return;
    const buttons = difference ? ["A", "B"].map((side) => make("button", { class: "link", onclick: () => this.events.reveal(side, this.differs(difference, side)) }, `Show in ${side}`)) : [];
    this.first.replaceChildren(make("strong", {}, text), " ", ...buttons);
    if (!difference) {
      this.lost.textContent = "none";
      this.parting = [this.root.position, [], ""];
      this.showBoard(...this.parting);
      return;
    }
    const rows = await rowsTo(this.a, difference.a.index);
    const here = rows[rows.length - 1];
    if (turn !== this.turn) return;
    this.parting = [here.position, (difference.next || []).map((node) => node && unpackMove(node.bits)), lineText(rows)];
    this.showBoard(...this.parting);
    await this.tellVanished(turn);
  }

  /** The state for the address: the selected row, the parts shown by the treemaps, and the order of the totals. */
  state() {
    const state = {};
    if (!this.totals) return state;
    const place = (node) => (node ? node.index : "");
    if (this.chosen) state.pair = `${place(this.chosen.a)}.${place(this.chosen.b)}`;
    Object.assign(state, this.maps[0].state());
    if (this.totals.order) state.by = this.totals.order;
    return state;
  }

  async apply(wanted) {
    if (!this.totals) return;
    this.totals.order = wanted.by || "";
    const row = wanted.pair && (await this.find(...wanted.pair.split(".")));
    if (row) {
      this.list();
      this.choose(row);
      row.button.scrollIntoView({ block: "nearest" });
    } else {
      this.choose(null);
    }
    await this.maps[0].apply(wanted);
  }

  /** The row of a node of A, or of B if A has none; expands all rows above it. */
  async find(a, b = "") {
    const [side, tree, index] = a === "" ? ["b", this.b, Number(b)] : ["a", this.a, Number(a)];
    if (!Number.isInteger(index) || index < 0 || index >= tree.summary.records) return null;
    let row = this.root;
    for (const node of (await tree.path(index)).slice(1)) {
      if (!row.children) await row.open();
      row = row.children.find((each) => each[side] && each[side].index === node.index);
    }
    return row;
  }

  /** Selects a row, or none, and shows it on the board and in the address. */
  choose(row) {
    if (this.chosen && this.chosen.button) this.chosen.button.closest("tr").classList.remove("chosen");
    this.chosen = row;
    if (row) row.button.closest("tr").classList.add("chosen");
    this.rest();
    this.events.changed();
  }

  /** Shows the selected row on the board, or the first difference. */
  rest() {
    if (this.chosen) this.point(this.chosen);
    else if (this.parting) this.showBoard(...this.parting);
  }

  differs(difference, side) {
    const [x, y] = difference.next || [];
    return side === "A" ? (x || difference.a).index : (y || difference.b).index;
  }

  showBoard(position, [a, b], line) {
    this.board.show(position, null);
    for (const [move, kind] of [[a, "side-a"], [b, "side-b"]]) if (move) this.board.draw(move, `arrow ${kind}`, this.board.replies);
    const colours = [a && "A's move is blue", b && "B's move is orange"].filter(Boolean).join(", ");
    this.pairText.textContent = `${line || "the position searched"}${colours ? `; ${colours}` : ""}`;
  }

  async tellVanished(turn) {
    const { found, whole } = await vanished(this.a, this.b, 1500);
    if (turn !== this.turn) return;
    const rows = [];
    for (const { only, node } of found) {
      const tree = only === "A" ? this.a : this.b;
      rows.push(make("tr", {}, make("td", { class: "number" }, `only ${only}`), make("td", { class: "number" }, grouped(node.nodes)),
        make("td", {}, make("span", { class: `mark ${node.end.group}` }),
          make("button", { class: "link", onclick: () => this.events.reveal(only, node.index) }, await this.lineOf(tree, node.index))),
        make("td", {}, node.purpose.label)));
    }
    if (turn !== this.turn) return;
    this.lost.replaceChildren(rows.length ? make("table", { class: "plain" }, make("tbody", {}, ...rows)) : "none",
      whole ? "" : make("p", { class: "hint" }, "The largest of the branches that differ were looked at."));
  }

  async lineOf(tree, index) {
    const rows = await rowsTo(tree, index);
    const last = rows[rows.length - 1];
    return (lineText(rows) || last.name) + (last.node.bits || isPass(last.node) ? "" : ` (${last.node.purpose.label})`);
  }

  list() {
    const rows = [];
    const add = (row) => {
      rows.push(this.element(row));
      if (row.children) row.children.forEach(add);
    };
    add(this.root);
    this.body.replaceChildren(...rows);
  }

  element(row) {
    const { a, b } = row;
    const value = (node) => (node ? seen(node, row.position.white).value : "—");
    const what = !b ? "only in A" : !a ? "only in B" : row.same ? "equal" : differences(a, b).join(", ") || "below";
    const cell = (text, kind) => make("td", { class: kind || null }, text);
    const why = (node) => (node && node.index ? endWhy({ node, position: row.position }) : "");
    const ended = (node, side) => make("td", { class: "ended", "data-side": side }, ...(why(node) ? [make("span", { class: `mark ${node.end.group}` }), why(node)] : []));
    const button = make("button", {
      class: "link", style: `margin-left:${Math.min(row.level, 9) * 14}px`, "aria-expanded": row.hasChildren ? String(Boolean(row.children)) : null,
      onclick: () => this.toggle(row), onkeydown: (event) => this.key(event, row), onfocus: () => this.choose(row), onmouseenter: () => this.point(row), onmouseleave: () => this.rest(),
    }, `${row.hasChildren ? (row.children ? "▾" : "▸") : "\u2007"} ${row.name}`);
    row.button = button;
    const probe = /^(move|root|iteration)$/.test((a || b).purpose.name) ? null : make("span", { class: "tag" }, (a || b).purpose.label);
    const kind = row.same ? "same" : !a ? "only-b" : !b ? "only-a" : "";
    return make("tr", { class: row === this.chosen ? `${kind} chosen` : kind },
      make("td", {}, button, probe), cell(value(a), "number"), cell(value(b), "number"),
      cell(a ? grouped(a.nodes) : "—", "number"), cell(b ? grouped(b.nodes) : "—", "number"), cell(what, "what"), ended(a, "A"), ended(b, "B"));
  }

  /** Shows the row under the pointer on the board, with the replies of both sides. */
  point(row) {
    const reply = (node) => node && unpackMove(node.replies[0]);
    this.showBoard(row.position, [reply(row.a), reply(row.b)], lineText(pathOf(row).map((each) => ({ ...each, node: each.a || each.b, position: each.position, name: each.name, parent: each.parent }))));
  }

  async toggle(row) {
    try {
      if (row.children) row.children = null;
      else if (row.hasChildren) await row.open();
      this.list();
      row.button.focus();
    } catch (error) {
      this.events.failed(error);
    }
  }

  key(event, row) {
    const buttons = [...this.body.querySelectorAll("button")];
    const at = buttons.indexOf(event.target);
    const actions = {
      ArrowDown: () => buttons[at + 1] && buttons[at + 1].focus(), ArrowUp: () => buttons[at - 1] && buttons[at - 1].focus(),
      Home: () => buttons[0].focus(), ArrowRight: () => !row.children && this.toggle(row),
      ArrowLeft: () => (row.children ? this.toggle(row) : row.parent && row.parent.button.focus()),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
