// Verifies a recording in the background, a slice at a time.

const STIR = [0x9e3779b9, 0x7f4a7c15]; // upper and lower half of the multiplier

/** The upper half of the product of two 32-bit numbers. */
function upper(a, b) {
  const [a0, a1, b0, b1] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const [low, left, right] = [a0 * b0, a0 * b1, a1 * b0];
  const middle = (low >>> 16) + (left & 0xffff) + (right & 0xffff);
  return (a1 * b1 + (left >>> 16) + (right >>> 16) + (middle >>> 16)) | 0;
}

/** A 64-bit number in two halves, mixed as docs/TREE.md describes. */
class Stirred {
  set(high, low) {
    this.high = high | 0;
    this.low = low | 0;
    return this;
  }

  /** Exclusive or with another number, then mixing. */
  stir(high, low) {
    const [h, l] = [this.high ^ high, this.low ^ low];
    const [x, y] = [h ^ (h >>> 31), l ^ ((l >>> 31) | (h << 1))];
    const product = Math.imul(y, STIR[1]);
    const above = (upper(y, STIR[1]) + Math.imul(x, STIR[1]) + Math.imul(y, STIR[0])) | 0;
    return this.set(above ^ (above >>> 29), product ^ ((product >>> 29) | (above << 3)));
  }
}

/** Computes the checksum of a record in `sum`; `place` is a scratch number. */
function stirRecord(view, at, size, index, [sum, place]) {
  sum.set(0, size);
  let byte = 0;
  for (; byte + 8 <= size; byte += 8) sum.stir(view.getUint32(at + byte + 4, true), view.getUint32(at + byte, true));
  if (byte < size) sum.stir(size - byte > 4 ? view.getUint16(at + byte + 4, true) : 0, view.getUint32(at + byte, true));
  place.set(0, 0).stir(0, index);
  sum.stir(place.high, place.low);
}

const halfText = (half) => (half >>> 0).toString(16).padStart(8, "0");

/** Verifies a tree; `progress` gets the records read and returns whether to continue. False if it was cancelled. */
async function checkTree(tree, progress) {
  const { records, left_out: out = 0, checksum, iteration } = tree.summary;
  const stirred = [new Stirred(), new Stirred()];
  const [sum] = stirred;
  let [high, low] = [0, 0];
  const add = (view, count, size, index) => {
    for (let k = 0; k < count; k++) {
      stirRecord(view, k * size, size, index + k, stirred);
      low += sum.low >>> 0;
      high = (high + sum.high + (low > 0xffffffff ? 1 : 0)) | 0;
      low = low >>> 0;
    }
  };
  for (let from = 0; from < records; from += SLICE) {
    const count = Math.min(SLICE, records - from);
    add(await tree.bytes(from, count), count, tree.size, from);
    await new Promise((resolve) => setTimeout(resolve));
    if (!progress(count)) return false;
  }
  for (let from = 0; from < out; from += SLICE) {
    const count = Math.min(SLICE, out - from);
    add(await tree.leftOutBytes(from, count), count, LEGEND.leftOutSize, records + from);
    await new Promise((resolve) => setTimeout(resolve));
    if (!progress(0)) return false;
  }
  const found = halfText(high) + halfText(low);
  if (found !== checksum) {
    throw new RecordingError(`${tree.name}: damaged: iteration ${iteration} has checksum ${found}, not ${checksum}`);
  }
  return true;
}

/** Verifies all trees of a recording and reports progress in words. False if it was cancelled. */
async function checkRecording(recording, say) {
  const whole = recording.trees.reduce((sum, tree) => sum + tree.summary.records, 0);
  let read = 0;
  const progress = (count) => say(`checked ${Math.floor((100 * (read += count)) / whole)} %`);
  for (const tree of recording.trees) if (!(await checkTree(tree, progress))) return false;
  return true;
}
