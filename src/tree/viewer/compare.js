// Two recordings of the same position side by side: where they first differ, and which subtrees vanished.
// Every node carries a fingerprint of its subtree, so equal branches are known without reading them.

/** What is the same move for the same purpose in both trees; re-searches are told apart by their order. */
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

/** What two nodes of the same move decided differently, in words. */
function differences(a, b) {
  const words = new Set();
  for (const [field, word] of FIELDS) if (a[field] !== b[field]) words.add(word);
  if (a.end !== b.end) words.add("reason");
  if (a.marks !== b.marks || a.change !== b.change) words.add("methods");
  if (a.nodes !== b.nodes) words.add("size");
  return [...words];
}

/** Where, in the order of the search, the trees first go different ways. */
async function firstDifference(treeA, treeB) {
  let [a, b] = [await treeA.node(0), await treeB.node(0)];
  if (a.print === b.print) return null;
  for (;;) {
    const entered = FIELDS.slice(0, 3).filter(([field]) => a[field] !== b[field]).map(([, word]) => word);
    if (entered.length) return { a, b, what: `it was entered with another ${[...new Set(entered)].join(" and ")}` };
    const [left, right] = [await treeA.children(a), await treeB.children(b)];
    const length = Math.max(left.length, right.length);
    let next = null;
    for (let k = 0; k < length && !next; k++) {
      const [x, y] = [left[k], right[k]];
      if (!x || !y) return { a, b, what: `${x ? "A" : "B"} went on with another search here, ${x ? "B" : "A"} did not` };
      if (x.bits !== y.bits || x.purpose !== y.purpose) return { a: x, b: y, what: "another move or probe was searched next" };
      if (x.print !== y.print) next = [x, y];
    }
    if (!next) return { a, b, what: `the same searches, but another ${differences(a, b).join(", ") || "result"}` };
    [a, b] = next;
  }
}

/** Subtrees that only one recording has, the largest first; the walk takes the largest pairs first. */
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

/** One row of the two trees together. */
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
    const pairs = paired(a ? await view.a.children(a) : [], b ? await view.b.children(b) : []);
    this.children = pairs.map(([x, y]) => new PairRow(x, y, this, view));
  }
}

/** The options of a recording that are not at their defaults. */
const optionsOf = (tree) => new Map(tree.recording.meta.options);

class CompareView {
  constructor(host, events) {
    this.host = host;
    this.events = events; // { openSecond(), reveal(side, index), failed(error) }
    this.empty(null);
  }

  empty(recording) {
    this.turn = (this.turn || 0) + 1;
    const what = recording ? `${recording.source.name} is open. ` : "";
    this.host.replaceChildren(make("div", { class: "blank" }, make("h2", {}, "Compare two recordings"),
      make("p", {}, `${what}Open a second recording of the same position, for example with a method switched on, and see where the two searches first go different ways.`),
      make("p", {}, make("button", { class: "large", id: "open-second", onclick: () => this.events.openSecond() }, "Open the second recording…"))));
  }

  async show(a, b) {
    [this.a, this.b] = [a, b];
    const turn = (this.turn = (this.turn || 0) + 1);
    const fens = [a, b].map((tree) => tree.recording.meta.fen);
    if (fens[0] !== fens[1]) {
      this.host.replaceChildren(make("div", { class: "blank" }, make("h2", {}, "Not the same position"),
        make("p", {}, `A is about ${fens[0]}`), make("p", {}, `B is about ${fens[1]}`),
        make("button", { class: "large", id: "open-second", onclick: () => this.events.openSecond() }, "Open another second recording…")));
      return;
    }
    this.first = make("p", { id: "first-difference" }, "looking…");
    this.lost = make("div", { id: "vanished" }, "looking…");
    this.body = make("tbody", {});
    const names = ["", "A value", "B value", "A nodes", "B nodes", "A ended", "B ended", "Difference"];
    this.host.replaceChildren(this.head(), make("div", { class: "cards" },
      make("section", { class: "card" }, make("h2", {}, "Where they first differ"), this.first),
      make("section", { class: "card rest" }, make("h2", {}, "Subtrees only one of them has"), this.lost),
      make("section", { class: "card wide" }, make("h2", {}, "Both trees"),
        make("p", { class: "hint" }, "Grey branches are equal. Arrow keys and Enter work on the rows."),
        make("table", { class: "plain pairs" }, make("thead", {}, make("tr", {}, ...names.map((name) => make("th", {}, name)))), this.body))));
    this.root = new PairRow(await a.node(0), await b.node(0), null, this);
    await this.root.open();
    for (const row of this.root.children) await row.open();
    this.list();
    await this.explain(turn);
  }

  head() {
    const side = (letter, tree) => {
      const { source } = tree.recording;
      const other = optionsOf(tree === this.a ? this.b : this.a);
      const mine = optionsOf(tree);
      const names = [...new Set([...mine.keys(), ...other.keys()])].filter((name) => mine.get(name) !== other.get(name));
      const differing = names.map((name) => `${name}=${mine.get(name) || "default"}`).join(", ");
      return make("p", {}, make("strong", {}, `${letter}: ${source.name}`),
        ` iteration ${tree.summary.iteration}, ${grouped(tree.summary.nodes)} nodes; ${differing || "the same options"}`);
    };
    const more = this.b.summary.nodes / Math.max(1, this.a.summary.nodes);
    return make("div", { class: "sides" }, side("A", this.a), side("B", this.b),
      make("p", {}, `B has ${(100 * more).toFixed(1)} % of the nodes of A. `,
        make("button", { class: "link", id: "open-second", onclick: () => this.events.openSecond() }, "another B…")));
  }

  /** The first difference and the vanished subtrees. */
  async explain(turn) {
    const difference = await firstDifference(this.a, this.b);
    if (turn !== this.turn) return;
    if (!difference) {
      this.first.textContent = "Nowhere: the two trees are equal.";
      this.lost.textContent = "none";
      return;
    }
    const line = await this.lineOf(this.a, difference.a.index);
    const other = difference.a.bits === difference.b.bits && difference.a.purpose === difference.b.purpose
      ? null : await this.lineOf(this.b, difference.b.index);
    this.first.replaceChildren(`After ${line}`, other ? ` in A and ${other} in B` : "", `: ${difference.what}. `,
      ...["A", "B"].map((side) => make("button", { class: "link", onclick: () => this.events.reveal(side, difference[side.toLowerCase()].index) }, `Show in ${side}`)));
    const { found, whole } = await vanished(this.a, this.b, 1500);
    if (turn !== this.turn) return;
    const rows = [];
    for (const { only, node } of found) {
      const tree = only === "A" ? this.a : this.b;
      rows.push(make("tr", {}, make("td", {}, `only ${only}`), make("td", { class: "number" }, grouped(node.nodes)),
        make("td", {}, make("span", { class: `mark ${node.end.group}` }),
          make("button", { class: "link", onclick: () => this.events.reveal(only, node.index) }, await this.lineOf(tree, node.index))),
        make("td", {}, node.purpose.label)));
    }
    if (turn !== this.turn) return;
    this.lost.replaceChildren(rows.length ? make("table", { class: "plain" }, make("tbody", {}, ...rows)) : "none",
      whole ? "" : make("p", { class: "hint" }, "The largest of the branches that differ were looked at."));
  }

  async lineOf(tree, index) {
    let row = null;
    const rows = [];
    for (const node of await tree.path(index)) rows.push((row = new Row(node, row, tree)));
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
    const ended = (node) => make("td", {}, node && node.index ? make("span", { class: `mark ${node.end.group}` }) : null, node && node.index ? node.end.label : "");
    const button = make("button", {
      class: "link", style: `margin-left:${row.level * 14}px`, "aria-expanded": row.hasChildren ? String(Boolean(row.children)) : null,
      onclick: () => this.toggle(row), onkeydown: (event) => this.key(event, row),
    }, `${row.hasChildren ? (row.children ? "▾" : "▸") : "\u2007"} ${row.name}`);
    row.button = button;
    const probe = /^(move|root|iteration)$/.test((a || b).purpose.name) ? null : make("span", { class: "tag" }, (a || b).purpose.label);
    return make("tr", { class: row.same ? "same" : !a ? "only-b" : !b ? "only-a" : null },
      make("td", {}, button, probe), cell(value(a), "number"), cell(value(b), "number"),
      cell(a ? grouped(a.nodes) : "—", "number"), cell(b ? grouped(b.nodes) : "—", "number"), ended(a), ended(b), cell(what));
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
