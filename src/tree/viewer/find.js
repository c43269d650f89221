// Looking for a move or a reason: the records are scanned in slices, the nodes nearest to the root first.

const SLICE = 1 << 15; // records at once

/** What a person looks for: a test of raw records and, where that is not enough, one of the move's SAN. */
function parseQuery(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return null;
  const fits = (word) => word.name === wanted || word.label.toLowerCase().includes(wanted);
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
  const ends = codes(LEGEND.ends);
  const purposes = codes(LEGEND.purposes);
  const changes = codes(LEGEND.changes);
  changes.delete(0);
  const marks = LEGEND.marks.filter(fits);
  const classes = LEGEND.classes.reduce((bits, name, bit) => bits | (name.includes(wanted) ? 1 << bit : 0), 0);
  if (ends.size + purposes.size + changes.size + marks.length === 0 && !classes) return undefined;
  const raw = (view, at) => {
    const step = view.getUint8(at + 7);
    return ends.has(view.getUint8(at + 3) & 31) || purposes.has(view.getUint8(at + 2) & 31) || changes.has(step >> 5) ||
      marks.some((mark) => isMarked(mark, marksAt(view, at), view.getUint8(at + 4) & 3)) || (step & classes) !== 0;
  };
  // A summary that has none of it spares reading the tree.
  const counted = [["ends", ends, LEGEND.ends], ["purposes", purposes, LEGEND.purposes], ["changes", changes, LEGEND.changes]];
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

/** The move of a node in SAN without signs for check, from the board it was played on. */
async function sanOf(tree, index) {
  const path = await tree.path(index);
  let position = Position.fromFen(tree.recording.meta.fen);
  for (const node of path.slice(0, -1)) position = positionAfter(position, node, tree);
  const move = unpackMove(path[path.length - 1].bits);
  return (move && position.san(move) || "").replace(/[+#]$/, "");
}

/** The next record that fits, from `start` on in one direction; null if there is none. */
async function findNode(tree, query, start, step, progress) {
  const { records } = tree.summary;
  let from = start;
  while (from >= 1 && from < records) {
    const low = step > 0 ? from : Math.max(1, from - SLICE + 1);
    const count = step > 0 ? Math.min(SLICE, records - from) : from - low + 1;
    const view = await tree.bytes(low, count);
    for (let k = 0; k < count; k++) {
      const index = from + k * step;
      if (!query.raw(view, (index - low) * LEGEND.size)) continue;
      if (!query.san || (await sanOf(tree, index)) === query.san.replace(/([^=])([QRBN])$/, "$1=$2")) return index;
    }
    from += count * step;
    if (!progress(step > 0 ? from / records : 1 - from / records)) return undefined;
    await new Promise((resolve) => setTimeout(resolve));
  }
  return null;
}

class Finder {
  constructor(view, elements) {
    this.view = view;
    this.elements = elements; // { input, status, next, previous }
    this.turn = 0;
    elements.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.find(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.leave();
      else return;
      event.preventDefault();
    });
    elements.input.addEventListener("input", () => {
      this.turn++;
      this.say("");
    });
    elements.next.addEventListener("click", () => this.find(1));
    elements.previous.addEventListener("click", () => this.find(-1));
  }

  say(text) {
    this.elements.status.textContent = text;
  }

  leave() {
    this.turn++; // a search under way ends
    this.say("");
    this.view.host.focus();
  }

  async find(step) {
    const { view } = this;
    if (!view.tree) return;
    const query = parseQuery(this.elements.input.value);
    if (query === null) return this.say("");
    if (query === undefined) return this.say("neither a move (Nf3, e2e4) nor a reason (hash, null, LMR …)");
    const turn = ++this.turn;
    if (query.exists && !query.exists(view.tree)) return this.say("none in this tree");
    const progress = (share) => {
      if (turn !== this.turn) return false;
      this.say(`${Math.floor(100 * share)} % searched`);
      return true;
    };
    await view.run(async () => {
      const found = await findNode(view.tree, query, view.selected.node.index + step, step, progress);
      if (turn !== this.turn || found === undefined) return;
      if (found === null) return this.say(step > 0 ? "no more below" : "no more above");
      await view.reveal(found);
      this.say(`node ${grouped(found)}`);
    });
  }
}
