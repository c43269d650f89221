// The tree in the order of the search: x is nodes spent, y is ply, the colour says why a node ended. In the manner of
// speedscope: wheel and keys zoom, a click chooses. Only what is wider than a pixel is drawn, so the size of the tree
// does not matter; what is narrower is drawn once, as one block.

const BAND = 18; // pixels per ply
const LEAST = 0.7; // least width of a node that is drawn separately, in pixels
const NAMES_PER_FRAME = 24;

class FlameView {
  constructor(host, events) {
    this.host = host;
    this.events = events; // { reveal(tree, index), failed(error), changed() }
    this.heavy = make("input", { type: "checkbox", id: "flame-heavy", onchange: () => this.refresh() });
    this.all = make("input", { type: "checkbox", id: "flame-all", onchange: () => this.show(this.tree) });
    this.caption = make("p", { id: "flame-caption", class: "hint", role: "status" }, "");
    this.canvas = make("canvas", { tabindex: "0", role: "application", "aria-label": "Flame chart; plus and minus zoom, arrow keys move, Enter zooms to the chosen node, Space shows it in the tree, 0 shows everything" });
    const button = (text, title, run) => make("button", { title, "aria-label": title, onclick: run }, text);
    this.host.append(make("div", { class: "tools" },
      button("−", "Zoom out", () => this.zoom(1.6)), button("+", "Zoom in", () => this.zoom(1 / 1.6)), button("All", "Show everything ( 0 )", () => this.reset()),
      make("label", {}, this.heavy, " left-heavy"), (this.allLabel = make("label", {}, this.all, " all iterations side by side")),
      make("span", { class: "key again" }, make("i", {}), "searched again"), make("span", { class: "key change" }, make("i", {}), "the principal variation changed")),
    this.canvas, this.caption, (this.legend = make("div", {})));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.up(event));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.canvas.addEventListener("dblclick", () => this.pointed && this.events.reveal(this.pointed.part.tree, this.pointed.node));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
    [this.low, this.high, this.parts, this.top] = [0, 1, [], 0];
  }

  /** The visible part, for the address. */
  state() {
    const state = {};
    if (this.low > 0 || this.high < this.whole) state.x = `${Math.round(this.low)}-${Math.round(this.high)}`;
    if (this.heavy.checked) state.heavy = 1;
    if (this.all.checked) state.all = 1;
    if (this.top) state.y = Math.round(this.top);
    if (this.chosen) state.chosen = `${this.parts.indexOf(this.chosen.part)}.${this.chosen.node}`;
    return state;
  }

  async apply(wanted) {
    const all = Boolean(wanted.all);
    this.heavy.checked = Boolean(wanted.heavy);
    if (all !== this.all.checked) {
      this.all.checked = all;
      await this.show(this.tree);
    }
    await this.loaded;
    const [low, high] = (wanted.x || "").split("-").map(Number);
    if (high > low) [this.low, this.high] = [low, high];
    else [this.low, this.high] = [0, this.whole];
    this.top = Math.max(0, Math.min(this.lowest, Number(wanted.y) || 0));
    const [place, node] = (wanted.chosen || "").split(".").map(Number);
    const part = this.parts[place];
    this.chosen = part && part.index && node >= 0 && node < part.index.records ? { part, node, level: part.index.levelOf(node) } : null;
    this.tell(this.chosen);
    this.draw();
  }

  /** Shows a tree, or all trees of its recording side by side. */
  show(tree) {
    this.tree = tree;
    this.loaded = this.load(tree).catch((error) => this.events.failed(error));
    return this.loaded;
  }

  async load(tree) {
    const turn = (this.turn = (this.turn || 0) + 1);
    this.allLabel.hidden = tree.recording.trees.length < 2;
    this.legend.replaceChildren(colourLegend(tree.recording));
    this.colours = null;
    const trees = this.all.checked && tree.recording.trees.length > 1 ? tree.recording.trees : [tree];
    this.parts = [];
    let offset = 0;
    for (const each of trees) {
      this.parts.push({ tree: each, offset, index: null, names: new Map() });
      offset += each.summary.nodes;
    }
    [this.low, this.high, this.whole, this.chosen] = [0, offset, offset, null];
    this.caption.textContent = "reading…";
    this.draw();
    for (const part of this.parts) {
      part.index = await TreeIndex.of(part.tree, (share) => {
        if (turn === this.turn) this.caption.textContent = `reading ${part.tree.name}: ${Math.floor(100 * share)} %`;
      });
      if (turn !== this.turn) return;
      this.draw();
    }
    this.caption.textContent = this.overview();
    this.refresh();
  }

  overview() {
    const { iteration, nodes } = this.tree.summary;
    return this.parts.length > 1 ? `${this.parts.length} iterations, ${grouped(this.whole)} nodes` : `iteration ${iteration}, ${grouped(nodes)} nodes`;
  }

  /** The colours of the reasons, by their numbers. */
  palette() {
    const probe = make("span", { class: "mark" });
    this.host.append(probe);
    const colour = (end) => {
      probe.className = `mark ${end.group}`;
      return getComputedStyle(probe).backgroundColor;
    };
    const table = [];
    for (const end of [...LEGEND.ends, ...this.tree.recording.own]) table[end.code] = colour(end);
    const style = getComputedStyle(document.documentElement);
    this.colours = { ends: table, ink: table.map((text) => (lightness(text) > 0.35 ? "#10141a" : "#ffffff")),
      back: style.getPropertyValue("--card"), root: style.getPropertyValue("--line"), soft: style.getPropertyValue("--soft"),
      again: style.getPropertyValue("--again"), change: style.getPropertyValue("--change"), chosen: style.getPropertyValue("--ink") };
    probe.remove();
  }

  refresh() {
    this.colours = null;
    this.draw();
    this.events.changed();
  }

  /** Schedules drawing for the next frame. */
  draw() {
    if (this.waiting || this.host.hidden || !this.tree) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    if (!this.colours) this.palette();
    const { canvas } = this;
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = this.colours.back;
    pen.fillRect(0, 0, width, height);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.named = 0;
    this.drawn = 0;
    for (const part of this.parts) if (part.index) this.paintPart(pen, part, width, height);
    this.mark(pen, width, this.chosen, 2);
    this.mark(pen, width, this.pointed, 1);
    if (this.named >= NAMES_PER_FRAME) this.draw();
  }

  starts(part) {
    return this.heavy.checked ? part.index.leftHeavy() : part.index.start;
  }

  /** Draws the visible part of a tree. */
  paintPart(pen, part, width, height) {
    const { index, offset } = part;
    if (index.ready < index.records) return;
    const { nodes, first, end, flags } = index;
    const start = this.starts(part);
    const perNode = width / (this.high - this.low);
    const { ends, ink, again, change, soft } = this.colours;
    const bottom = Math.min(index.level.length - 1, Math.ceil((height + this.top) / BAND) + 1);
    const stack = [0];
    const depth = [0];
    while (stack.length) {
      const n = stack.pop();
      const level = depth.pop();
      const x = (offset + start[n] - this.low) * perNode;
      const wide = Math.max(1, nodes[n]) * perNode;
      const y = level * BAND - this.top;
      if (y > -BAND) {
        const [from, to] = [Math.max(0, x), Math.min(width, x + wide)];
        this.drawn++;
        pen.fillStyle = level === 0 ? this.colours.root : ends[end[n]];
        pen.fillRect(from, y, Math.max(LEAST, to - from - (wide > 4 ? 1 : 0)), BAND - 1);
        if (flags[n] & FLAG_AGAIN) {
          pen.fillStyle = again;
          pen.fillRect(from, y, Math.max(LEAST, to - from - 1), 4);
        }
        if (flags[n] & FLAG_CHANGE) {
          pen.fillStyle = change;
          pen.fillRect(from, y + BAND - 5, Math.max(LEAST, to - from - 1), 4);
        }
        if (to - from > 34) {
          pen.fillStyle = level === 0 ? soft : ink[end[n]];
          // Keeps clear of the edges.
          const aside = (flags[n] & FLAG_AGAIN ? 1.5 : 0) - (flags[n] & FLAG_CHANGE ? 1.5 : 0);
          this.write(pen, this.name(part, n), from + 4, y + BAND / 2 + aside, to - from - 8);
        }
      }
      if (level + 1 > bottom) continue;
      this.push(part, first[n], first[n + 1], { start, perNode, width, level, stack, depth, pen });
    }
  }

  /** Draws the visible children; runs of narrow ones become one block. */
  push({ index, offset }, low, high, view) {
    const { start, perNode, width, level, stack, depth, pen } = view;
    const { nodes, end } = index;
    const y = (level + 1) * BAND - this.top;
    let painted = -1; // the last pixel painted by a narrow node
    for (let child = low; child < high; child++) {
      const x = (offset + start[child] - this.low) * perNode;
      const wide = Math.max(1, nodes[child]) * perNode;
      if (x + wide < 0 || x > width) continue;
      if (wide >= LEAST) {
        stack.push(child);
        depth.push(level + 1);
      } else if (Math.floor(x) !== painted && y > -BAND) {
        painted = Math.floor(x);
        pen.fillStyle = this.colours.ends[end[child]];
        pen.fillRect(painted, y, 1, BAND - 1);
      }
    }
  }

  write(pen, text, x, y, room) {
    if (!text) return;
    let shown = text;
    if (text.length * 6 > room) {
      while (shown && pen.measureText(`${shown}…`).width > room) shown = shown.slice(0, -1);
      if (!shown) return;
      if (shown !== text) shown += "…";
    }
    pen.fillText(shown, x, y);
  }

  /** A node's name; a few are computed per frame and cached with their positions. */
  name(part, n) {
    const known = part.names.get(n);
    if (known) return known.name;
    if (this.named >= NAMES_PER_FRAME) return "";
    this.named++;
    const { index, tree } = part;
    let before;
    if (n === 0) before = Position.fromFen(tree.recording.meta.fen);
    else {
      const above = part.names.get(index.parent[n]);
      if (!above) {
        this.name(part, index.parent[n]);
        if (!part.names.get(index.parent[n])) return "";
      }
      before = part.names.get(index.parent[n]).position;
    }
    const purpose = PURPOSES[index.purpose[n]];
    const node = { bits: index.bits[n], purpose, index: n, depth: 100 * tree.summary.iteration };
    const move = unpackMove(node.bits);
    const position = isPass(node) ? before.pass() : move ? before.play(move) : before;
    const label = move || isPass(node) || /^root|^iteration/.test(purpose.name) ? nameOf(node, before) : purpose.label;
    const name = { "root-low": "↓ fail-low, root again", "root-high": "↑ fail-high, root again" }[purpose.name] || label;
    part.names.set(n, { name, position });
    return name;
  }

  box({ part, node, level }, width) {
    const perNode = width / (this.high - this.low);
    return [(part.offset + this.starts(part)[node] - this.low) * perNode, level * BAND - this.top, Math.max(1, part.index.nodes[node]) * perNode];
  }

  mark(pen, width, what, line) {
    if (!what || !what.part.index || !this.parts.includes(what.part)) return;
    const [x, y, wide] = this.box(what, width);
    pen.strokeStyle = this.colours.chosen;
    pen.lineWidth = line;
    pen.strokeRect(Math.max(0.5, x), y + 0.5, Math.min(width - 1, x + Math.max(2, wide)) - Math.max(0, x), BAND - 2);
  }

  /** The node at a point of the chart. */
  at(x, y) {
    const place = this.low + (x / this.canvas.clientWidth) * (this.high - this.low);
    const level = Math.floor((y + this.top) / BAND);
    const part = this.parts.find((each) => each.index && place >= each.offset && place < each.offset + each.tree.summary.nodes);
    if (!part || level < 0 || part.index.ready < part.index.records) return null;
    const { nodes, first } = part.index;
    const start = this.starts(part);
    let node = 0;
    for (let down = 0; down < level; down++) {
      let next = -1;
      for (let child = first[node]; child < first[node + 1]; child++) {
        const from = part.offset + start[child];
        if (place >= from && place < from + Math.max(1, nodes[child])) next = child;
      }
      if (next < 0) return null;
      node = next;
    }
    return { part, node, level };
  }

  point(what) {
    if (!what && !this.pointed) return;
    const same = what && this.pointed && what.part === this.pointed.part && what.node === this.pointed.node;
    if (same) return;
    this.pointed = what;
    this.draw();
    this.tell(what || this.chosen);
  }

  /** Shows line, size and reason of the node under the pointer. */
  async tell(what) {
    const turn = (this.telling = (this.telling || 0) + 1);
    if (!what) return (this.caption.textContent = this.overview());
    try {
      const rows = await rowsTo(what.part.tree, what.node);
      const row = rows[rows.length - 1];
      const share = (100 * row.node.nodes) / Math.max(1, what.part.tree.summary.nodes);
      if (turn === this.telling) this.caption.textContent = `${lineText(rows) || row.name}: ${grouped(row.node.nodes)} nodes (${share.toFixed(1)} %), ${seen(row.node, row.position.white).value}, ${whyText(row)}`;
    } catch (error) {
      this.events.failed(error);
    }
  }

  see(low, high) {
    const span = Math.min(this.whole, Math.max(8, high - low));
    this.low = Math.max(0, Math.min(low, this.whole - span));
    this.high = this.low + span;
    this.draw();
    this.events.changed();
  }

  zoom(factor, share = 0.5) {
    const here = this.low + share * (this.high - this.low);
    const span = (this.high - this.low) * factor;
    this.see(here - share * span, here + (1 - share) * span);
  }

  reset() {
    this.top = 0;
    this.see(0, this.whole);
  }

  wheel(event) {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / this.canvas.clientWidth) * (this.high - this.low);
      this.see(this.low + by, this.high + by);
    } else this.zoom(Math.exp(event.deltaY * 0.0022), event.offsetX / this.canvas.clientWidth);
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.offsetX, y: event.offsetY, low: this.low, high: this.high, top: this.top, moved: false };
  }

  move(event) {
    const { drag } = this;
    if (!drag) return this.point(this.at(event.offsetX, event.offsetY));
    const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
    drag.moved = drag.moved || Math.abs(dx) + Math.abs(dy) > 4;
    if (!drag.moved) return;
    const by = (-dx / this.canvas.clientWidth) * (drag.high - drag.low);
    this.top = Math.max(0, Math.min(this.lowest, drag.top - dy));
    this.see(drag.low + by, drag.high + by);
  }

  get lowest() {
    const levels = Math.max(1, ...this.parts.map((part) => part.tree.summary.levels.length));
    return Math.max(0, levels * BAND - this.canvas.clientHeight);
  }

  up(event) {
    const { drag } = this;
    this.drag = null;
    if (!drag || drag.moved) return;
    this.choose(this.at(event.offsetX, event.offsetY));
  }

  choose(what) {
    this.chosen = what;
    this.draw();
    this.tell(what);
    this.events.changed();
  }

  /** Zooms to a node. */
  enter(what) {
    const from = what.part.offset + this.starts(what.part)[what.node];
    this.see(from, from + Math.max(1, what.part.index.nodes[what.node]));
  }

  /** A neighbour of the chosen node: its parent, its largest child, or a sibling. */
  neighbour(step) {
    const { chosen } = this;
    if (!chosen) return this.parts[0] && this.parts[0].index ? { part: this.parts[0], node: 0, level: 0 } : null;
    const { part, node, level } = chosen;
    const { first, parent, nodes } = part.index;
    const start = this.starts(part);
    if (step === "up") return level ? { part, node: parent[node], level: level - 1 } : chosen;
    if (step === "down") {
      let best = -1;
      for (let child = first[node]; child < first[node + 1]; child++) if (best < 0 || nodes[child] > nodes[best]) best = child;
      return best < 0 ? chosen : { part, node: best, level: level + 1 };
    }
    let next = node;
    for (let each = first[parent[node]]; level && each < first[parent[node] + 1]; each++) {
      const ahead = step === "right" ? start[each] > start[node] : start[each] < start[node];
      const nearer = next === node || (step === "right" ? start[each] < start[next] : start[each] > start[next]);
      if (ahead && nearer) next = each;
    }
    return { part, node: next, level };
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.tree) return;
    const slide = (share) => this.see(this.low + share * (this.high - this.low), this.high + share * (this.high - this.low));
    const go = (step) => this.choose(this.neighbour(step));
    const actions = {
      "+": () => this.zoom(1 / 1.6), "=": () => this.zoom(1 / 1.6), "-": () => this.zoom(1.6), 0: () => this.reset(), Home: () => this.reset(),
      ArrowLeft: () => go("left"), ArrowRight: () => go("right"), ArrowUp: () => go("up"), ArrowDown: () => go("down"),
      a: () => slide(-0.2), d: () => slide(0.2), w: () => this.zoom(1 / 1.6), s: () => this.zoom(1.6),
      Enter: () => this.chosen && this.enter(this.chosen), " ": () => this.chosen && this.events.reveal(this.chosen.part.tree, this.chosen.node),
      PageDown: () => { this.top = Math.min(this.lowest, this.top + 10 * BAND); this.draw(); this.events.changed(); },
      PageUp: () => { this.top = Math.max(0, this.top - 10 * BAND); this.draw(); this.events.changed(); },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

/** The relative luminance of a colour of the page, from 0 to 1. */
function lightness(text) {
  const [r, g, b] = text.match(/[\d.]+/g).slice(0, 3).map((each) => {
    const c = Number(each) / 255;
    return c <= 0.04 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
