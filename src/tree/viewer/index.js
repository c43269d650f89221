// The whole tree in a few typed arrays, read once: for drawing the flame chart and for sorting hits in the order of
// the search. It takes some twenty bytes per node, and is built only when needed.

const SLICE = 1 << 15; // records per slice
const FLAG_AGAIN = 1;
const FLAG_CHANGE = 2; // the node changed the principal variation

class TreeIndex {
  constructor(tree) {
    const { records } = tree.summary;
    this.tree = tree;
    this.records = records;
    this.ready = 0; // records read so far
    this.nodes = new Uint32Array(records);
    this.first = new Uint32Array(records + 1);
    this.parent = new Uint32Array(records);
    this.start = new Float64Array(records);
    this.bits = new Uint16Array(records);
    this.end = new Uint8Array(records);
    this.purpose = new Uint8Array(records);
    this.flags = new Uint8Array(records);
    this.level = [0]; // first index of each level
    let from = 0;
    for (const count of tree.summary.levels) this.level.push((from += count));
  }

  /** The index of a tree, read once; `progress` gets the share done. */
  static of(tree, progress = () => {}) {
    if (!tree.indexed) {
      const index = new TreeIndex(tree);
      index.listeners = [];
      tree.indexed = index.read().then(() => index);
      tree.indexed.index = index;
      tree.indexed.catch(() => (tree.indexed = null));
    }
    tree.indexed.index.listeners.push(progress);
    return tree.indexed;
  }

  async read() {
    for (let from = 0; from < this.records; from += SLICE) {
      const count = Math.min(SLICE, this.records - from);
      this.take(await this.tree.bytes(from, count), from, count);
      this.ready = from + count;
      for (const listener of this.listeners) listener(this.ready / this.records, this);
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.placeAll();
  }

  take(view, from, count) {
    const { size, recording } = this.tree;
    const own = recording.own.length > 0;
    for (let k = 0, at = 0; k < count; k++, at += size) {
      const n = from + k;
      const kind = view.getUint8(at + 4);
      const purpose = view.getUint8(at + 2) & 31;
      this.bits[n] = view.getUint16(at, true);
      this.purpose[n] = purpose;
      this.end[n] = own ? endAt(view, at, recording).code : view.getUint8(at + 3) & 31;
      this.nodes[n] = view.getUint32(at + 22, true);
      this.first[n] = view.getUint32(at + 26, true);
      const parent = (this.parent[n] = view.getUint32(at + 30, true));
      if (this.first[n] <= n || this.first[n] > this.records || (n > 0 && parent >= n)) {
        throw new RecordingError(`${this.tree.name}: damaged: node ${n} of iteration ${this.tree.summary.iteration}`);
      }
      const open = view.getInt16(at + 10, true) - view.getInt16(at + 8, true) > 1;
      const again = /^re-search|^root-(low|high)/.test(PURPOSES[purpose] ? PURPOSES[purpose].name : "");
      this.flags[n] = (again ? FLAG_AGAIN : 0) | ((kind & 128) && open && n > 1 ? FLAG_CHANGE : 0);
    }
    this.first[from + count] = view.getUint32(count * size + 26, true);
  }

  /** The start of every node, counted in nodes before it. */
  placeAll(start = this.start, order = null) {
    const { nodes, first, records } = this;
    for (let n = 0; n < records; n++) {
      let at = start[n] + (n === 0 ? 0 : 1);
      const [low, high] = [first[n], first[n + 1]];
      if (order && high - low > 1) {
        for (const child of order(low, high)) {
          start[child] = at;
          at += nodes[child];
        }
      } else {
        for (let child = low; child < high; child++) {
          start[child] = at;
          at += nodes[child];
        }
      }
    }
    return start;
  }

  /** The level of a node below the iteration. */
  levelOf(n) {
    return Math.max(0, this.level.findIndex((from) => from > n) - 1);
  }

  /** The same with the largest child first. */
  leftHeavy() {
    if (!this.heavy) {
      const { nodes } = this;
      const order = (low, high) => {
        const all = [];
        for (let child = low; child < high; child++) all.push(child);
        return all.sort((a, b) => nodes[b] - nodes[a] || a - b);
      };
      this.heavy = this.placeAll(new Float64Array(this.records), order);
    }
    return this.heavy;
  }

  /** Nodes in the order of the search. */
  inOrder(indices) {
    const { start } = this;
    // A probe that starts with its parent is sorted after it.
    return indices.sort((a, b) => start[a] - start[b] || a - b);
  }
}
