// Finds moves and reasons: scans all records in slices, and sorts the hits in the order of the search.

/** A query: a test of raw records and, if that is not enough, of the move's SAN. */
function parseQuery(text, recording) {
  const wanted = currentName(text.trim().toLowerCase());
  if (!wanted) return null;
  const plain = (words) => words.toLowerCase().replace(/[-\s]+/g, " ");
  const fits = (word) => word.name === wanted || plain(word.label).includes(plain(wanted));
  const square = /^([a-h][1-8])([a-h][1-8])([nbrq]?)$/.exec(wanted);
  if (square) {
    const promotion = square[3].toUpperCase();
    const named = (move) => squareName(move.from) === square[1] && squareName(move.to) === square[2];
    return { raw: byMove((move) => named(move) && (!promotion || move.promotion === promotion)) };
  }
  const san = text.trim().replace(/[+#!?]+$/, "").replace(/0/g, "O");
  if (/^(O-O(-O)?|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBN])?)$/.test(san)) {
    const to = /([a-h][1-8])(=?[QRBN])?$/.exec(san);
    const raw = byMove((move) => !to || squareName(move.to) === to[1]);
    return { raw, san };
  }
  const codes = (words) => new Set(words.filter(fits).map((word) => word.code));
  const allEnds = [...LEGEND.ends, ...(recording ? recording.own : [])];
  const ends = codes(allEnds);
  const purposes = codes(LEGEND.purposes);
  const changes = codes(LEGEND.changes);
  changes.delete(0);
  const marks = LEGEND.marks.filter(fits);
  const classes = LEGEND.classes.reduce((bits, name, bit) => bits | (name.includes(wanted) ? 1 << bit : 0), 0);
  if (ends.size + purposes.size + changes.size + marks.length === 0 && !classes) return undefined;
  const raw = (view, at, from) => {
    const step = view.getUint8(at + 7);
    return ends.has(from.own.length ? endAt(view, at, from).code : view.getUint8(at + 3) & 31) || purposes.has(view.getUint8(at + 2) & 31) || changes.has(step >> 5) ||
      marks.some((mark) => isMarked(mark, marksAt(view, at), view.getUint8(at + 4) & 3)) || (step & classes) !== 0;
  };
  // If the summary counts none, the tree need not be read.
  const counted = [["ends", ends, allEnds], ["purposes", purposes, LEGEND.purposes], ["changes", changes, LEGEND.changes]];
  const marked = ({ summary }) => marks.some((mark) => summary.marks[mark.name]);
  const listed = ({ summary }) => counted.some(([field, wantedCodes, words]) =>
    words.some((word) => wantedCodes.has(word.code) && summary[field][word.name]));
  return { raw, exists: (tree) => classes !== 0 || marked(tree) || listed(tree) };
}

/** A test of records by their move. */
function byMove(test) {
  const known = new Map();
  return (view, at) => {
    const bits = view.getUint16(at, true);
    if (!known.has(bits)) known.set(bits, bits !== 0 && test(unpackMove(bits)));
    return known.get(bits);
  };
}

/** The SAN of a node's move without check signs. */
async function sanOf(tree, index) {
  const path = await tree.path(index);
  let position = Position.fromFen(tree.recording.meta.fen);
  for (const node of path.slice(0, -1)) position = positionAfter(position, node, tree);
  const move = unpackMove(path[path.length - 1].bits);
  return (move && position.san(move) || "").replace(/[+#]$/, "");
}

/** All matching records, or undefined if another search was started. */
async function findAll(tree, query, progress) {
  const { records } = tree.summary;
  const found = [];
  for (let from = 1; from < records; from += SLICE) {
    const count = Math.min(SLICE, records - from);
    const view = await tree.bytes(from, count);
    for (let k = 0; k < count; k++) if (query.raw(view, k * tree.size, tree.recording)) found.push(from + k);
    if (!progress((0.5 * (from + count)) / records)) return undefined;
    await new Promise((resolve) => setTimeout(resolve));
  }
  const index = await TreeIndex.of(tree, (share) => progress(0.5 + 0.5 * share));
  return index.inOrder(found);
}

const MOST_SANS = 4000; // most moves compared by SAN, which is slower than by squares
const MOST_LISTED = 200; // hits per page of the list

/** The end of a long line, where the hit is. */
const ending = (line) => (line.length > 36 ? `… ${line.slice(-35).replace(/^\S*\s/, "")}` : line);

/** The hits whose move has this SAN; true if there may be more. */
async function byName(tree, query, found, progress) {
  if (!query.san) return [found, false];
  const wanted = query.san.replace(/([^=])([QRBN])$/, "$1=$2");
  const kept = [];
  for (let k = 0; k < found.length; k++) {
    if (k === MOST_SANS) return [kept, true];
    if ((await sanOf(tree, found[k])) === wanted) kept.push(found[k]);
    if (k % 50 === 0 && !progress(k / Math.min(MOST_SANS, found.length))) return [undefined, false];
  }
  return [kept, false];
}

class Finder {
  constructor(view, elements) {
    this.view = view;
    this.elements = elements; // { input, status, next, previous, list }
    this.turn = 0;
    this.text = "";
    this.hits = [];
    elements.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") app.ready = this.find(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.leave();
      else if (event.key === "ArrowDown" && !elements.list.hidden) elements.list.querySelector("button.hit").focus();
      else return;
      event.preventDefault();
    });
    elements.input.addEventListener("input", () => {
      this.turn++;
      this.forget();
    });
    elements.next.addEventListener("click", () => (app.ready = this.find(1)));
    elements.previous.addEventListener("click", () => (app.ready = this.find(-1)));
  }

  say(text) {
    this.elements.status.textContent = text;
  }

  forget() {
    [this.text, this.hits, this.tree, this.page] = ["", [], null, -1];
    this.elements.list.hidden = true;
    this.say("");
  }

  leave() {
    this.turn++; // cancels a running search
    this.elements.input.value = "";
    this.forget();
    address.changed();
    this.view.host.focus();
  }

  /** Searches the whole tree and lists the hits; selects the first hit unless told to stay. */
  async start(text, { stay = false } = {}) {
    const { view, elements } = this;
    elements.input.value = text;
    this.forget();
    const query = parseQuery(text, view.tree && view.tree.recording);
    const turn = ++this.turn;
    if (!view.tree || query === null) return;
    if (query === undefined) return this.say("neither a move (Nf3, e2e4) nor a reason (hash, null, LMR …)");
    if (query.exists && !query.exists(view.tree)) return this.say("none in this tree");
    const progress = (share) => {
      if (turn === this.turn) this.say(`${Math.floor(100 * share)} % searched`);
      return turn === this.turn;
    };
    await view.run(async () => {
      const candidates = await findAll(view.tree, query, progress);
      const [hits, more] = candidates ? await byName(view.tree, query, candidates, progress) : [];
      if (!hits || turn !== this.turn) return;
      [this.text, this.hits, this.more, this.tree] = [text, hits, more, view.tree];
      if (!hits.length) return this.say("none in this tree");
      if (!stay) await view.reveal(hits[this.after(1)]);
      elements.list.hidden = false;
      this.tell();
      await this.listing;
      address.changed();
    });
  }

  /** The hit before or after the selected node, in the order of the search. */
  after(step) {
    const { start } = this.tree.indexed.index;
    const here = this.view.selected.node.index;
    const before = (a, b) => start[a] < start[b] || (start[a] === start[b] && a < b);
    if (typeof here !== "number") return 0;
    const k = step > 0 ? this.hits.findIndex((hit) => before(here, hit)) : this.hits.findLastIndex((hit) => before(hit, here));
    return k < 0 ? (step > 0 ? 0 : this.hits.length - 1) : k; // wraps around
  }

  async go(k) {
    await this.view.reveal(this.hits[k]);
    this.tell();
    await this.listing;
  }

  /** Shows `3 of 139` and the page of the list with the selected hit. */
  tell() {
    const { list } = this.elements;
    if (!this.hits.length || this.tree !== this.view.tree) return;
    const k = this.hits.indexOf(this.view.selected.node.index);
    const all = grouped(this.hits.length) + (this.more ? " or more" : "");
    this.say(k < 0 ? `${all} found` : `${grouped(k + 1)} of ${all}`);
    if (list.hidden) return;
    const page = k < 0 ? Math.max(0, this.page) : Math.floor(k / MOST_LISTED);
    if (page !== this.page) this.listing = this.view.run(() => this.list(page));
    this.mark();
  }

  /** Marks the selected hit in the list. */
  mark() {
    for (const button of this.elements.list.querySelectorAll("button.hit")) {
      const current = Number(button.dataset.index) === this.view.selected.node.index;
      button.classList.toggle("current", current);
      if (current) this.bringUp(button);
    }
  }

  /** Scrolls only the list, and keeps the hit clear of its heading. */
  bringUp(button) {
    const { list } = this.elements;
    const above = list.firstElementChild.offsetHeight;
    const [top, bottom] = [button.offsetTop, button.offsetTop + button.offsetHeight];
    if (top - above < list.scrollTop) list.scrollTop = top - above;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  }

  async find(step) {
    const text = this.elements.input.value.trim();
    if (text !== this.text || this.tree !== this.view.tree) return this.start(text);
    if (this.hits.length) await this.view.run(() => this.go(this.after(step)));
  }

  /** The heading of the list: the range of hits, and buttons for other pages. */
  heading(page) {
    const { list } = this.elements;
    const [from, whole] = [page * MOST_LISTED, this.hits.length];
    const to = Math.min(whole, from + MOST_LISTED);
    const turn = (name, next, there) => (there ? make("button", { onclick: () => (app.ready = this.view.run(() => this.list(next))) }, name) : "");
    const which = from === 0 && to === whole ? "all" : `${grouped(from + 1)} to ${grouped(to)} of`;
    const close = make("button", { class: "close", "aria-label": "Close the list", onclick: () => (list.hidden = true) }, "×");
    return make("div", { class: "listed" }, make("span", {}, `${which} ${grouped(whole)} in the order of the search`),
      turn("earlier", page - 1, page > 0), turn("later", page + 1, to < whole), close);
  }

  /** A page of hits with their lines. */
  async list(page) {
    const { list } = this.elements;
    const [tree, hits] = [this.tree, this.hits];
    this.page = page;
    const shown = hits.slice(page * MOST_LISTED, (page + 1) * MOST_LISTED);
    const buttons = shown.map((index) => make("button", {
      class: "hit", "data-index": index, onclick: () => (app.ready = this.view.run(async () => {
        await this.view.reveal(index);
        this.tell();
      })),
      onkeydown: (event) => {
        const next = { ArrowDown: event.currentTarget.nextElementSibling, ArrowUp: event.currentTarget.previousElementSibling }[event.key];
        if (next && next.matches("button.hit")) next.focus();
        else if (event.key === "Escape") this.leave();
        else return;
        event.preventDefault();
      },
    }, make("span", { class: "mark" }), make("span", { class: "line" }, `node ${grouped(index)}`)));
    list.replaceChildren(this.heading(page), ...buttons);
    list.scrollTop = 0;
    this.mark();
    for (const [k, button] of buttons.entries()) {
      const rows = await rowsTo(tree, shown[k]);
      if (hits !== this.hits || page !== this.page) return;
      const last = rows[rows.length - 1];
      const line = lineText(rows) || last.name;
      button.replaceChildren(make("span", { class: `mark ${last.node.end.group}` }), make("span", { class: "line", title: line }, make("bdi", {}, ending(line))),
        make("span", { class: "value" }, seen(last.node, last.position.white).value), make("span", { class: "sentence" }, endWhy(last)));
    }
  }
}
