// Reads recordings, a slice at a time. docs/TREE.md describes the format.

const LEGEND = JSON.parse(document.getElementById("legend").textContent);

/** An error about a file, with a message for the user. */
class RecordingError extends Error {}

/** The entries of an enumeration of the format, by code. */
function byCode(words) {
  const table = [];
  for (const word of words) table[word.code] = word;
  return table;
}
const ENDS = byCode(LEGEND.ends);
const PURPOSES = byCode(LEGEND.purposes);
const KINDS = byCode(LEGEND.kinds);
const CHANGES = byCode(LEGEND.changes);
const BOUNDS = [null, "upper", "lower", "exact"];
const RENAMED = new Map(LEGEND.renamed);
const NO_BEST = 0xffff;
const TWO_MORE = 3 << 17;
const HELD = 0x8000; // the record holds the moves left out
const ONLY_NEAREST = 0x8000; // the child came nearest to alpha but did not raise it

const BLOCK = 1 << 16; // bytes read at once for small requests
const BLOCKS = 64; // number of blocks kept

/** A file opened by the user: reads only the slices needed, and caches the latest ones. */
function sourceOfBlob(blob, name) {
  const slice = async (from, length) => {
    try {
      return new Uint8Array(await blob.slice(from, from + length).arrayBuffer());
    } catch (error) {
      throw new RecordingError(`${name} cannot be read any more (${error.message}); was it moved or changed?`);
    }
  };
  const kept = new Map();
  const block = (k) => {
    const bytes = kept.get(k) || slice(k * BLOCK, BLOCK);
    kept.delete(k);
    kept.set(k, bytes); // moves it to the end of the eviction order
    if (kept.size > BLOCKS) kept.delete(kept.keys().next().value);
    return bytes;
  };
  const read = async (from, length) => {
    if (length > BLOCK) return slice(from, length);
    const first = Math.floor(from / BLOCK);
    const bytes = await block(first);
    const at = from - first * BLOCK;
    if (at + length <= BLOCK) return bytes.subarray(at, at + length);
    const both = new Uint8Array(Math.max(0, Math.min(length, blob.size - from)));
    both.set(bytes.subarray(at));
    both.set((await block(first + 1)).subarray(0, Math.max(0, both.length - (BLOCK - at))), BLOCK - at);
    return both;
  };
  return { name, size: blob.size, read };
}

/** A recording embedded in the page, in base64. */
function sourceOfText(text, name) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let index = 0; index < letters.length; index++) bytes[index] = letters.charCodeAt(index);
  return { name, size: bytes.length, read: async (from, length) => bytes.subarray(from, from + length) };
}

/** The current form of a name in an older recording or link. */
const currentName = (name) => RENAMED.get(name) || name;

/** The counts of a tree under current names. */
function withCurrentNames(summary) {
  const renamed = (counts) => Object.fromEntries(Object.entries(counts).map(([name, count]) => [currentName(name), count]));
  return { ...summary, ends: renamed(summary.ends), purposes: renamed(summary.purposes), spent: renamed(summary.spent) };
}

const MASK = (1n << 64n) - 1n;

/** The checksum of the text part. */
function textSum(bytes) {
  let sum = BigInt(bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    let word = 0n;
    for (let byte = 7; byte >= 0; byte--) word = (word << 8n) | BigInt(bytes[at + byte] || 0);
    sum ^= word;
    sum = ((sum ^ (sum >> 31n)) * 0x9e3779b97f4a7c15n) & MASK;
    sum ^= sum >> 29n;
  }
  return sum;
}

class Recording {
  constructor(source, meta, size) {
    this.source = source;
    this.meta = meta;
    this.size = size; // bytes of a record
    this.own = (meta.reasons || []).map(ownReason);
    this.trees = meta.trees.map((summary) => new Tree(this, withCurrentNames(summary)));
  }

  static async open(source) {
    const wrong = (what) => new RecordingError(`${source.name}: ${what}`);
    const header = await source.read(0, LEGEND.header);
    const magic = new TextDecoder().decode(header.subarray(0, 8));
    if (header.length === 0 || !"ESPTREE\n".startsWith(magic.slice(0, 8))) {
      throw wrong("not a recording of a search tree");
    }
    if (header.length < LEGEND.header) {
      throw wrong(`truncated: ${source.size} of ${LEGEND.header} bytes are there`);
    }
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    const version = view.getUint32(8, true);
    const sizes = LEGEND.sizes[version];
    if (!sizes) {
      throw wrong(`a recording in version ${version} of the format; this page reads ${Object.keys(LEGEND.sizes).join(" and ")}`);
    }
    const [offset, length, whole] = [16, 24, 32].map((at) => Number(view.getBigUint64(at, true)));
    if (source.size < whole) throw wrong(`truncated: ${source.size} of ${whole} bytes are there`);
    if (source.size > whole) throw wrong(`damaged: ${source.size} bytes where ${whole} should be`);
    const size = view.getUint32(12, true);
    if (!sizes.includes(size) || offset + length !== whole || offset < LEGEND.header) {
      throw wrong("damaged: its header contradicts itself");
    }
    const text = await source.read(offset, length);
    if (textSum(text) !== view.getBigUint64(40, true)) {
      throw wrong("damaged: its text part is not what was written");
    }
    const meta = JSON.parse(new TextDecoder().decode(text));
    // Trees and lists of left-out moves must fill exactly the space between header and text.
    const start = (k) => meta.trees.slice(0, k).reduce((sum, tree) => sum + tree.records + 1, 0);
    const leftOut = meta.trees.reduce((sum, tree) => sum + (tree.left_out || 0), 0);
    const end = LEGEND.header + start(meta.trees.length) * size + leftOut * LEGEND.leftOutSize;
    if (end !== offset || !meta.trees.every((tree, k) => tree.records > 0 && tree.start === start(k))) {
      throw wrong("damaged: a tree is said to be where the file does not reach");
    }
    if (meta.trees.length === 0) throw wrong("there is no tree in it");
    return new Recording(source, meta, size);
  }

  /** The tree of an iteration, if it is recorded. */
  tree(iteration) {
    return this.trees.find((tree) => tree.summary.iteration === iteration);
  }

  /** The tree to show first: the last complete one. */
  get favourite() {
    return this.trees.filter((tree) => tree.summary.complete).pop() || this.trees[this.trees.length - 1];
  }
}

/** The marks of a record: a byte, three bits above the end, and one above the purpose. */
const marksAt = (view, at) =>
  view.getUint8(at + 5) | ((view.getUint8(at + 3) >> 5) << 8) | (((view.getUint8(at + 2) >> 5) & 1) << 11);

/** A reason that another program defines, with its own name and colour. */
function ownReason(name, k) {
  const group = `own-${k}`;
  const hue = (47 + 137 * k) % 360;
  document.head.append(Object.assign(document.createElement("style"), {
    textContent: `.${group} { --colour: hsl(${hue} 60% ${45 + ((k * 13) % 40)}%); }`,
  }));
  return { code: 32 + k, name, label: name, group, when: false, own: true };
}

/** Why a node ended; for reasons of the recording's own the third number says which. */
function endAt(view, at, recording) {
  const code = view.getUint8(at + 3) & 31;
  if (code !== 0 || !recording.own.length) return ENDS[code];
  return recording.own[view.getInt16(at + recording.size - 2, true)] || ENDS[code];
}

/** Whether the numbers of a node are about the moves it left out. */
const keepsLeftOut = ({ end, purpose, numbers }) =>
  end && purpose && (end.when || /^(cut-off|quiet)$/.test(end.name)) && purpose.name !== "singular-probe" && numbers[2] !== LEGEND.none;

/** The place of the list of moves left out, or the list itself if the record holds it. */
function leftOutAt(view, at) {
  const [word, last] = [view.getInt32(at + 38, true), view.getUint16(at + 42, true)];
  return last & HELD ? { held: leftOutWords([word], last & ~HELD) } : { first: word >>> 0, count: last };
}

/** The moves of a list: the move (0 for all unlisted moves), the mark of the rule, its number. A word may hold two more
 * moves with the rule and the number of the one before. */
function leftOutWords(words, other = 0) {
  const kept = [];
  for (const bits of words) {
    const number = bits >> 19;
    if ((bits & TWO_MORE) !== TWO_MORE) kept.push({ bits: bits & 0x7fff, rule: (bits >> 15) & 15, number: number === -4096 ? LEGEND.none : number });
    else if (kept.length) {
      const before = kept[kept.length - 1];
      const both = [bits & 0x7fff, (bits >>> 19) | (((bits >> 15) & 3) << 13)];
      kept.push(...both.filter(Boolean).map((more) => ({ ...before, bits: more })));
    }
  }
  return other ? [...kept, { ...kept[0], bits: other }] : kept;
}

/** Reads a node; `view` starts at its first byte. */
function decode(view, at, index, recording) {
  const { size } = recording;
  const early = size === 48; // of a development build, with two replies before the numbers
  const best = view.getUint16(at + 20, true);
  const number = (place) => (size > 38 ? view.getInt16(at + place + (early ? 4 : 0), true) : LEGEND.none); // version 2 has none
  const kind = view.getUint8(at + 4);
  const step = view.getUint8(at + 7);
  const node = {
    index,
    bits: view.getUint16(at, true),
    purpose: PURPOSES[view.getUint8(at + 2) & 31],
    againBelow: (view.getUint8(at + 2) & 64) !== 0,
    changeBelow: (view.getUint8(at + 2) & 128) !== 0,
    end: endAt(view, at, recording),
    kind: KINDS[kind & 3],
    cut: [null, false, true][(kind >> 2) & 3],
    bound: BOUNDS[(kind >> 4) & 3],
    uncertain: (kind & 64) !== 0,
    raised: (kind & 128) !== 0,
    marks: marksAt(view, at),
    number: view.getUint8(at + 6),
    change: CHANGES[step >> 5],
    classes: step & 31,
    alpha: view.getInt16(at + 8, true),
    beta: view.getInt16(at + 10, true),
    value: view.getInt16(at + 12, true),
    eval: view.getInt16(at + 14, true),
    depth: view.getInt16(at + 16, true),
    by: view.getInt16(at + 18, true),
    best: best & ONLY_NEAREST ? NO_BEST : best,
    nearest: best === NO_BEST ? NO_BEST : best & ~ONLY_NEAREST,
    nodes: view.getUint32(at + 22, true),
    first: view.getUint32(at + 26, true),
    last: view.getUint32(at + size + 26, true), // the index after its last child
    parent: view.getUint32(at + 30, true),
    print: view.getUint32(at + 34, true),
    replies: [], // moves; see `withReplies`
    numbers: [number(38), number(40), number(42)],
  };
  if (keepsLeftOut(node)) {
    if (!early) node.leftOut = leftOutAt(view, at);
    node.numbers = [LEGEND.none, LEGEND.none, LEGEND.none];
  }
  const whole = node.purpose && node.end && node.kind && node.bound && node.change && node.cut !== undefined;
  return whole && node.first > index && node.first <= node.last ? node : null;
}

class Tree {
  constructor(recording, summary) {
    this.recording = recording;
    this.summary = summary;
  }

  get name() {
    return this.recording.source.name;
  }

  /** The bytes of some records and of the one after them. */
  async bytes(from, count) {
    const { source, size } = this.recording;
    const length = (count + 1) * size;
    const bytes = await source.read(LEGEND.header + (this.summary.start + from) * size, length);
    if (bytes.length < length) throw new RecordingError(`${source.name}: truncated at node ${from}`);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  async nodes(from, count) {
    if (count === 0) return [];
    if (from + count > this.summary.records) throw new RecordingError(`${this.name}: there is no node ${from} in it`);
    const view = await this.bytes(from, count);
    const nodes = [];
    for (let k = 0; k < count; k++) {
      const node = decode(view, k * this.recording.size, from + k, this.recording);
      if (!node || node.last > this.summary.records) {
        throw new RecordingError(`${this.name}: damaged: node ${from + k} of iteration ${this.summary.iteration}`);
      }
      nodes.push(node);
    }
    return nodes;
  }

  async node(index) {
    return (await this.nodes(index, 1))[0];
  }

  /** Bytes of a record. */
  get size() {
    return this.recording.size;
  }

  children(node) {
    return this.nodes(node.first, node.last - node.first);
  }

  /** Adds the best replies and the answers to them, which are the moves of records below. */
  async withReplies(nodes) {
    const below = (node) => (node.nearest === NO_BEST ? null : this.node(node.first + node.nearest));
    await Promise.all(nodes.map(async (node) => {
      const reply = await below(node);
      const answer = reply && (await below(reply));
      node.replies = [reply, answer].filter(Boolean).map((each) => each.bits);
    }));
    return nodes;
  }

  /** The byte where the lists of left-out moves begin. */
  get leftOutAt() {
    const { trees, size } = this.recording;
    const records = trees.reduce((sum, tree) => sum + tree.summary.records + 1, 0);
    const before = trees.slice(0, trees.indexOf(this)).reduce((sum, tree) => sum + (tree.summary.left_out || 0), 0);
    return LEGEND.header + records * size + before * LEGEND.leftOutSize;
  }

  /** The bytes of some of them. */
  async leftOutBytes(from, count) {
    const { source } = this.recording;
    const length = count * LEGEND.leftOutSize;
    const bytes = await source.read(this.leftOutAt + from * LEGEND.leftOutSize, length);
    if (bytes.length < length || from + count > (this.summary.left_out || 0)) {
      throw new RecordingError(`${source.name}: damaged: moves left out from ${from} to ${from + count}`);
    }
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The stored left-out moves of a node. */
  async keptLeftOut(node) {
    if (!node.leftOut) return [];
    const { held, first, count } = node.leftOut;
    if (held) return held;
    const view = await this.leftOutBytes(first, count);
    return leftOutWords(Array.from({ length: count }, (_, k) => view.getInt32(k * LEGEND.leftOutSize, true)));
  }

  /** The nodes from the iteration down to this one. */
  async path(index) {
    const path = [await this.node(index)];
    while (path[0].index !== 0) {
      const parent = path[0].parent;
      if (parent >= path[0].index) throw new RecordingError(`${this.name}: damaged: node ${path[0].index} has parent ${parent}`);
      path.unshift(await this.node(parent));
    }
    return path;
  }
}

/** Whether a mark is set at a node; some marks mean another method in quiescence search. */
const isMarked = (mark, marks, kind) =>
  (marks & mark.code) !== 0 && (mark.when === undefined || mark.when === (KINDS[kind].name === "Q"));
const marksOf = (node) => LEGEND.marks.filter((mark) => isMarked(mark, node.marks, node.kind.code));

/** The moves that were left out at a node, with the stored reason; see `left_out` in the library. */
function leftOutMoves(node, children, kept, position) {
  const all = node.end.when && node.purpose.name !== "singular-probe";
  if (!all && !kept.length) return [];
  const searched = [];
  let verifying = false;
  for (const child of children.filter((each) => each.number > 0)) {
    if (!child.purpose.name.startsWith("re-search")) verifying = child.purpose.name === "verification";
    if (!verifying) searched.push(unpackMove(child.bits));
  }
  const rest = kept.find((each) => each.bits === 0);
  const out = [];
  for (const move of position.legalMoves()) {
    if (searched.some((other) => sameMove(other, move))) continue;
    const own = kept.find((each) => each.bits && sameMove(unpackMove(each.bits), move));
    if (own || all) out.push({ move, san: position.san(move), kept: own || rest || null });
  }
  return out.sort((a, b) => (a.san < b.san ? -1 : 1));
}

/** The same, read from the file. */
const leftOutOf = async (tree, node, children, position) =>
  leftOutMoves(node, children, await tree.keptLeftOut(node), position);

/** Whether this node was reached by a move; probes search the same position. */
const isPass = (node) => node.purpose.name === "null-move";

/** The position of a node, given its parent's; throws if the move is not legal. */
function positionAfter(position, node, tree) {
  if (isPass(node)) return position.pass();
  const move = unpackMove(node.bits);
  if (!move) return position;
  const from = position.board[move.from];
  if (!position.isOwn(from) || !position.legalMoves().some((other) => sameMove(other, move))) {
    const text = squareName(move.from) + squareName(move.to);
    throw new RecordingError(`${tree.name}: damaged: ${text} of node ${node.index} is not legal in ${position.fen()}`);
  }
  return position.play(move);
}

/** The name of a node in a row. */
function nameOf(node, position) {
  if (isPass(node)) return "pass";
  const move = unpackMove(node.bits);
  if (move) return position.san(move) || `${squareName(move.from)}${squareName(move.to)} (not legal)`;
  if (node.index === 0) return `Iteration ${node.depth / 100}`;
  return { root: "Root", "root-low": "Root again", "root-high": "Root again", "root-line": "Next line" }[
    node.purpose.name] || "probe";
}
