// The tree as an outline: branches are read when they are expanded and dropped when they are collapsed; only
// visible rows are in the page.

/** Makes an element; children are elements or text. */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const isAgain = (node) => node.purpose.name.startsWith("re-search") || /^root-(low|high)$/.test(node.purpose.name);

/** A number of the search in pawns, moves to mate, or infinity. */
function scoreText(raw) {
  if (raw === LEGEND.none) return "–";
  const size = Math.abs(raw);
  const sign = raw < 0 ? "−" : "";
  if (size >= LEGEND.infinite) return `${sign}∞`;
  if (size >= LEGEND.mate - LEGEND.maxPly && size <= LEGEND.mate) {
    const plies = LEGEND.mate - size;
    return `${sign}#${raw > 0 ? Math.floor((plies + 1) / 2) : Math.floor(plies / 2)}`;
  }
  return `${raw > 0 ? "+" : sign}${(size / 100).toFixed(2)}`;
}

/** Value, bound and window of a node from the chosen view: White's, or the side to move's. */
function seen(node, whiteToMove) {
  const flip = settings.pov === "white" && !whiteToMove;
  const turned = (raw) => (flip && raw !== LEGEND.none ? -raw : raw);
  const value = turned(node.value);
  const side = flip ? { upper: "lower", lower: "upper", exact: "exact" }[node.bound] : node.bound;
  const sign = { upper: "≤", lower: "≥", exact: "" }[side];
  const known = node.value !== LEGEND.none;
  return {
    raw: value,
    value: known ? sign + scoreText(value) + (node.uncertain ? "?" : "") : "–",
    window: flip ? [turned(node.beta), turned(node.alpha)] : [node.alpha, node.beta],
    eval: scoreText(turned(node.eval)),
  };
}

const windowText = (window) => `(${scoreText(window[0])}, ${scoreText(window[1])})`;
const depthText = (hundredths) => (hundredths % 100 === 0 ? String(hundredths / 100) : (hundredths / 100).toFixed(2));

/** The legend of the colours. */
function colourLegend(recording) {
  const entry = ([name, label]) => make("span", {}, make("span", { class: `mark ${name}` }), label);
  const own = recording ? recording.own.map((end) => [end.group, end.label]) : [];
  return make("p", { class: "legend" }, ...[...LEGEND.families, ...own].map(entry));
}

/** A visible node, or an ancestor of one. */
class Row {
  constructor(node, parent, tree) {
    this.node = node;
    this.parent = parent;
    this.tree = tree;
    this.level = parent ? parent.level + 1 : 0;
    this.children = null;
    this.position = parent
      ? positionAfter(parent.position, node, tree)
      : Position.fromFen(tree.recording.meta.fen);
    this.name = nameOf(node, parent ? parent.position : this.position);
    const ordinal = parent ? node.index - parent.node.first : 0;
    this.isBest = parent !== null && parent.node.best === ordinal;
    this.pv = parent === null || (parent.pv && this.isBest);
    this.cuts = this.isBest && parent.node.end.name === "cut-off";
  }

  get hasChildren() {
    return this.node.last > this.node.first;
  }

  /** Whether there is anything below: nodes, or moves left out. */
  get opens() {
    return this.hasChildren || Boolean(this.node.leftOut) || this.node.end.when;
  }

  async open() {
    if (this.children || !this.opens) return;
    const nodes = await this.tree.withReplies(await this.tree.children(this.node));
    this.children = nodes.map((node) => new Row(node, this, this.tree));
    this.omitted = (await leftOutOf(this.tree, this.node, nodes, this.position)).map((each) => new OmittedRow(each, this));
  }
}

/** A move that a rule left out, which has no record because it was not searched. */
class OmittedRow {
  constructor({ move, san, kept }, parent) {
    this.parent = parent;
    this.tree = parent.tree;
    this.level = parent.level + 1;
    this.children = this.omitted = null;
    this.opens = this.hasChildren = this.isBest = this.pv = this.cuts = false;
    this.name = san;
    this.position = parent.position.play(move);
    this.kept = kept; // the rule, if the recording has it
    const none = { name: "", label: "", code: 0 };
    this.node = {
      index: `${parent.node.index}-${san}`, bits: 0, purpose: { name: "move", label: "left out" }, change: none, kind: none,
      end: { name: "left-out", label: "left out", group: "late" }, marks: 0, number: 0, classes: 0, nodes: 0, first: 0, last: 0,
      alpha: LEGEND.none, beta: LEGEND.none, value: LEGEND.none, eval: LEGEND.none, depth: 0, by: 0, best: NO_BEST, bound: "exact",
      cut: null, nearest: NO_BEST, replies: [], numbers: [LEGEND.none, LEGEND.none, LEGEND.none], move,
    };
  }

  /** Why it was left out, with numbers from the chosen view. */
  get leftOut() {
    return leftOutWhy(this.parent.node, this.parent.position, this.node.move, this.kept);
  }

  async open() {}
}

/** The move that led to a row, for the board. */
const moveOf = (row) => row.node.move || unpackMove(row.node.bits);

const STEP = 10; // indent of a level in pixels
const NAME_ROOM = 136; // least width of a move's name in pixels, at any depth

/** Why the root was searched again. */
const AGAIN = { "root-low": "low", "root-high": "high" };

/** Longer sentences get smaller letters: number of letters, class, pixels of a letter. */
const LONG = [[66, "sentence longest", 10.5], [60, "sentence longer", 11], [52, "sentence long", 12], [0, "sentence", 13]];
const sizeOf = (text) => LONG.find(([letters]) => text.length >= letters);

const DECIDED = { size: 12, line: 17, edges: 22 }; // pixels: letters, a line of its own, and margin, border and padding of the tag

/** The width of a text in pixels, in the font of the page. */
function textWidth(text, size) {
  const pen = (textWidth.pen = textWidth.pen || make("canvas").getContext("2d"));
  const font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  if (textWidth.font !== font) pen.font = textWidth.font = font;
  return pen.measureText(text).width;
}

/** The columns and the tooltips of their headers. */
const COLUMNS = [
  ["#", "which move of its parent it was, in the order of the search", "ordinal"], ["Move", "or what the search asked", "name"],
  ["Value", "for White or for the side to move, as chosen above", "value"], ["Nodes", "here and below", "nodes"],
  ["Kind", "P principal variation, N minimal window, Q quiescence", "kind"], ["Depth", "plies left", "depth"],
  ["Why", "why it ended, by which numbers, and what was decided", "why"],
];

class TreeView {
  constructor(host, events) {
    this.host = host;
    this.events = events; // { selected(row), hovered(row|null), failed(error) }
    this.space = make("div", { class: "space" });
    this.header = make("div", { class: "columns", "aria-hidden": "true" },
      ...COLUMNS.map(([name, title, kind]) => make("span", { title, class: kind }, name)));
    host.append(this.header, this.space);
    this.rows = [];
    this.tops = [0];
    this.filters = { quiescence: false, hash: false, changes: false, again: false, omitted: false };
    this.sort = "order";
    host.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.resized()).observe(host);
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("click", (event) => this.click(event));
    host.addEventListener("dblclick", (event) => this.run(() => this.toggle(this.rowAt(event))));
    host.addEventListener("mouseover", (event) => this.events.hovered(this.rowAt(event)));
    host.addEventListener("mouseleave", () => this.events.hovered(null));
  }

  /** Runs a task that reads the file, and shows errors. */
  async run(task) {
    try {
      await task();
    } catch (error) {
      this.events.failed(error);
    }
  }

  async show(tree) {
    const root = new Row(...(await tree.withReplies([await tree.node(0)])), null, tree);
    await root.open();
    for (const row of root.children || []) if (row.isBest || root.children.length === 1) await row.open();
    [this.tree, this.root] = [tree, root];
    this.list();
    const searches = root.children || [];
    this.select(searches.find((row) => row.isBest) || searches[0] || root);
    this.host.scrollTop = 0;
  }

  /** Clears the view. */
  clear() {
    this.tree = this.root = this.selected = undefined;
    this.list();
  }

  /** Whether a row passes the filters. */
  wanted(row) {
    const { node, parent } = row;
    const { quiescence, hash, changes, again } = this.filters;
    if (row.leftOut) return true;
    if (quiescence && node.kind.name === "Q") return false;
    if (hash && node.end.name === "hash") return false;
    if (!changes && !again) return true;
    const isChange = node.raised && parent.node.kind.name === "P" && node.beta - node.alpha > 1;
    return (changes && (isChange || node.changeBelow)) ||
      (again && (isAgain(node) || node.againBelow)) || node.purpose.name.startsWith("root");
  }

  sorted(rows) {
    if (this.sort === "size") return [...rows].sort((a, b) => b.node.nodes - a.node.nodes || a.node.index - b.node.index);
    if (this.sort === "value") return [...rows].sort((a, b) => a.node.value - b.node.value || a.node.index - b.node.index);
    return rows;
  }

  /** Rebuilds the list of rows after expanding, collapsing, filtering or sorting. */
  list() {
    this.rows = [];
    const add = (row) => {
      this.rows.push(row);
      if (!row.children) return;
      const shown = row.children.filter((child) => this.wanted(child));
      row.hidden = row.children.length - shown.length;
      for (const child of this.sorted(shown)) add(child);
      if (!this.filters.omitted) this.rows.push(...(row.omitted || []));
    };
    if (this.root) add(this.root);
    this.placed = null;
    this.draw();
  }

  /** The indent of a level, limited so that names keep their room. */
  get deepest() {
    const name = this.header.querySelector(".name");
    return Math.max(1, Math.floor((name.clientWidth - NAME_ROOM) / STEP));
  }

  /** The height of a row, which the style sets by the width of the tree. */
  get height() {
    return parseFloat(getComputedStyle(this.host).getPropertyValue("--row"));
  }

  /** The text of a row: the sentence, the change of depth, and other tags. */
  said(row) {
    if (!row.told || row.told.pov !== settings.pov) {
      const why = endWhy(row);
      const decided = row.leftOut ? null : depthWhy(row, new Eyes(row.position.white));
      row.told = { pov: settings.pov, why, decided, tags: tagsOf(row).filter((tag) => tag !== decided) };
    }
    return row.told;
  }

  /** Extra lines for the change of depth; none if it fits beside the sentence. */
  linesBelow(row, room) {
    if (!row.node.change.code && row.node.purpose.name !== "singular-probe") return 0;
    const { why, decided } = this.said(row);
    if (!decided) return 0;
    const wide = textWidth(decided, DECIDED.size) + DECIDED.edges;
    const [, , size] = sizeOf(why);
    if (textWidth(why, size) + wide < room.beside - 6) return 0;
    return Math.ceil(wide / (room.below * 0.94));
  }

  /** The start of every row. All rows have the same height except those with extra lines. */
  place() {
    const { height } = this;
    const [why, name] = ["why", "name"].map((part) => this.header.querySelector(`.${part}`).getBoundingClientRect());
    const room = { beside: why.width - parseFloat(getComputedStyle(this.header.querySelector(".why")).paddingLeft), below: why.right - name.left - 31 };
    const key = `${height} ${room.beside} ${room.below} ${settings.pov}`;
    if (this.placed === key) return;
    this.placed = key;
    this.tops = new Float64Array(this.rows.length + 1);
    this.rows.forEach((row, k) => {
      row.below = this.linesBelow(row, room);
      this.tops[k + 1] = this.tops[k] + height + row.below * DECIDED.line;
    });
  }

  /** The index of the row at a height of the list. */
  placeAt(top) {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle + 1] <= top) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  draw() {
    this.cap = this.deepest;
    this.place();
    this.space.style.height = `${this.tops[this.rows.length]}px`;
    const first = Math.max(0, this.placeAt(this.host.scrollTop) - 4);
    const last = Math.min(this.rows.length, this.placeAt(this.host.scrollTop + this.host.clientHeight) + 5);
    this.space.replaceChildren(...this.rows.slice(first, last).map((row, k) => this.element(row, first + k)));
    const active = this.rows.indexOf(this.selected);
    // Not right after a change of size: old scroll positions are drawn before `resized` is called.
    if (this.host.clientHeight === this.seenHeight) this.held = this.inSight(active);
    this.host.setAttribute("aria-activedescendant", active >= first && active < last ? `row-${this.selected.node.index}` : "");
  }

  element(row, place) {
    const { node } = row;
    const shown = seen(node, row.position.white);
    const { why, decided, tags } = this.said(row);
    const below = row.below > 0;
    const share = node.nodes / Math.max(1, this.root.node.nodes);
    const expander = row.opens ? (row.children ? "▾" : "▸") : "";
    const deep = row.level > this.cap;
    const name = make("span", { class: "name", style: `padding-left:${Math.min(row.level, this.cap) * STEP}px` },
      make("span", { class: "expander", "data-expander": true, "aria-hidden": "true" }, expander),
      make("span", { class: `mark ${node.end.group}`, title: node.end.label }),
      deep ? make("span", { class: "level", title: `${row.level} levels deep` }, `${row.level}·`) : null,
      make("span", { class: "san" }, row.name),
      row.cuts ? make("span", { class: "badge cuts", title: "this move cut" }, "cut") : null,
      row.leftOut ? make("span", { class: "badge", title: "a rule left it out: nobody searched it" }, "left out") : null,
      isAgain(node) ? make("span", { class: "badge again", title: node.purpose.label }, AGAIN[node.purpose.name] || "again") : null,
      row.hidden && row.children ? make("span", { class: "hidden-count" }, `${row.hidden} hidden`) : null);
    const cell = (kind, text, title) => make("span", { class: kind, title: title || null }, text);
    return make("div", {
      id: `row-${node.index}`, role: "treeitem", "data-place": place, "data-index": node.index,
      class: "row" + (row === this.selected ? " selected" : "") + (row.pv ? " pv" : "") + (row.leftOut ? " omitted" : ""),
      style: `top:${this.tops[place]}px;--below:${row.below}`, "aria-level": row.level + 1, "aria-selected": row === this.selected ? "true" : "false",
      "aria-expanded": row.opens ? String(Boolean(row.children)) : null,
    },
    cell("ordinal", node.number > 0 && !isAgain(node) ? node.number : ""), name, cell("value", row.leftOut ? "" : shown.value),
    make("span", { class: "nodes", style: `--share:${(100 * Math.sqrt(share)).toFixed(1)}%` }, row.leftOut ? "" : grouped(node.nodes)),
    cell("kind", node.kind.name === "I" ? "" : node.kind.name, node.kind.label), cell("depth", row.leftOut ? "" : depthText(node.depth)),
    make("span", { class: "why", title: [why, decided, ...tags].filter(Boolean).join("\n") },
      make("span", { class: sizeOf(why)[1] }, why), decided && !below ? make("span", { class: "tag decided" }, decided) : null,
      ...tags.map((tag) => make("span", { class: "tag" }, tag))),
    below ? make("span", { class: "decided below" }, decided) : null);
  }

  rowAt(event) {
    const element = event.target.closest(".row");
    return element ? this.rows[Number(element.dataset.place)] : null;
  }

  click(event) {
    const row = this.rowAt(event);
    if (!row) return;
    this.select(row);
    if (event.target.dataset.expander !== undefined) this.run(() => this.toggle(row));
  }

  select(row) {
    this.selected = row;
    this.scrollTo(row);
    this.draw();
    this.events.selected(row);
  }

  inSight(at) {
    const { scrollTop, clientHeight } = this.host;
    return at >= 0 && this.tops[at + 1] > scrollTop && this.tops[at] < scrollTop + clientHeight - this.header.offsetHeight;
  }

  /** Keeps the selected row visible when the list or the height of rows changes. */
  resized() {
    if (this.held) this.scrollTo(this.selected);
    this.seenHeight = this.host.clientHeight;
    this.draw();
  }

  scrollTo(row) {
    this.place();
    const at = this.rows.indexOf(row);
    if (at < 0) return;
    const [top, bottom] = [this.tops[at], this.tops[at + 1]];
    const room = this.host.clientHeight - this.header.offsetHeight;
    if (top < this.host.scrollTop || bottom - top > room) this.host.scrollTop = top;
    else if (bottom > this.host.scrollTop + room) this.host.scrollTop = bottom - room;
  }

  async toggle(row) {
    if (!row) return;
    if (row.children && row.parent) {
      row.children = null; // frees the memory
      if (this.isBelow(this.selected, row)) this.select(row);
    } else await row.open();
    this.list();
  }

  isBelow(row, above) {
    for (let here = row && row.parent; here; here = here.parent) if (here === above) return true;
    return false;
  }

  /** Expands all ancestors of a node and selects it. */
  async reveal(index) {
    const path = await this.tree.path(index);
    let row = this.root;
    for (const node of path.slice(1)) {
      await row.open();
      row = row.children[node.index - row.node.first];
    }
    this.list();
    if (!this.rows.includes(row)) {
      this.events.unfiltered();
      this.list();
    }
    this.select(row);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.root) return;
    const at = this.rows.indexOf(this.selected);
    const page = Math.max(1, Math.floor(this.host.clientHeight / this.height) - 1);
    const go = (place) => this.select(this.rows[Math.max(0, Math.min(this.rows.length - 1, place))]);
    const row = this.selected;
    const actions = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      PageDown: () => go(at + page),
      PageUp: () => go(at - page),
      Home: () => go(0),
      End: () => go(this.rows.length - 1),
      Enter: () => this.run(() => this.toggle(row)),
      ArrowRight: () => (row.children || !row.opens ? go(at + (row.children ? 1 : 0)) : this.run(() => this.toggle(row))),
      ArrowLeft: () => (row.children && row.parent ? this.run(() => this.toggle(row)) : row.parent && this.select(row.parent)),
      b: () => this.run(() => this.follow(row)),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  /** Goes to the best move. */
  async follow(row) {
    if (row.node.best !== NO_BEST) await this.reveal(row.node.first + row.node.best);
  }
}
