// The summary of a tree: charts of its counts, and a treemap of its nodes.

/** A bar chart; bars that can be searched for are buttons, which list what they count. */
function bars(title, entries, { note = "", unit = "", list = null } = {}) {
  const most = Math.max(1, ...entries.map((entry) => entry.count));
  const called = (name, word) => (list && word ? make("button", { class: "link", title: "list them in the tree", onclick: () => list(word) }, name) : name);
  const rows = entries.map(({ name, count, group, text, share, word, title: tip }) => make("tr", { title: tip || null },
    make("th", { scope: "row" }, group ? make("span", { class: `mark ${group}` }) : null, called(name, word)),
    make("td", { class: "number" }, text || grouped(count), share ? make("span", { class: "share" }, `  ${share}`) : null), make("td", { class: "bar" }, make("div", { class: `fill ${group || ""}`, style: `width:${(100 * count) / most}%` }))));
  const body = rows.length ? make("table", {}, make("tbody", {}, ...rows)) : make("p", { class: "hint" }, "none");
  return make("section", { class: "card" }, make("h2", {}, title), note ? make("p", { class: "hint" }, note) : null, body, unit);
}

const percent = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

/** Counts by name as entries for bars. */
function entriesOf(counts, words, whole) {
  const word = (name) => words.find((each) => each.name === name) || { label: name };
  const entries = Object.entries(counts).map(([name, count]) => ({
    name: word(name).label, group: word(name).group, count, word: name, share: whole ? percent(count, whole) : null,
  }));
  return entries.sort((a, b) => b.count - a.count);
}

/** The growth of nodes from each iteration to the next. */
function growth(iterations) {
  return iterations.slice(1).map((each, k) => ({
    name: `${iterations[k].depth} → ${each.depth}`,
    count: each.nodes / Math.max(1, iterations[k].nodes),
    text: (each.nodes / Math.max(1, iterations[k].nodes)).toFixed(2) + (each.value === null ? " (stopped)" : ""),
  }));
}

function iterationTable(recording, whiteAtRoot) {
  const head = ["Depth", "Nodes", "Time", "Nodes/s", "Value"].map((text) => make("th", {}, text));
  const rows = recording.meta.iterations.map((each) => {
    const flip = settings.pov === "white" && !whiteAtRoot ? -1 : 1;
    const cells = [
      each.depth, grouped(each.nodes), `${grouped(each.milliseconds)} ms`,
      each.milliseconds ? grouped(Math.round((1000 * each.nodes) / each.milliseconds)) : "–",
      each.value === null ? "stopped" : scoreText(flip * each.value),
    ];
    return make("tr", {}, ...cells.map((cell) => make("td", { class: "number" }, cell)));
  });
  return make("section", { class: "card" }, make("h2", {}, "Iterations"),
    make("table", { class: "plain" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
}

function methodTable(summary) {
  const head = ["Method", "Asked", "Succeeded", "Nodes", "Share"].map((text) => make("th", {}, text));
  // A line may break between a number and its share, but not inside them.
  const cell = (...texts) => make("td", { class: "number parts" }, ...texts.flatMap((text, k) => [k ? " " : "", make("span", {}, text)]));
  const rows = summary.methods.map((each) => make("tr", {}, make("th", { scope: "row" }, each.method), cell(grouped(each.attempts)),
    cell(grouped(each.successes), percent(each.successes, each.attempts)), cell(grouped(each.nodes)), cell(percent(each.nodes, summary.nodes))));
  return make("section", { class: "card" }, make("h2", {}, "Nodes per method"),
    make("p", { class: "hint" }, "Nodes spent on the questions a method asks; methods that only leave out moves ask none."),
    rows.length ? make("table", { class: "plain methods" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))
      : make("p", { class: "hint" }, "No selective method acted."));
}

function subjectCard(tree) {
  const { meta, source } = tree.recording;
  const changed = meta.options.map(([name, value]) => `${name}=${value}`).join(", ");
  const { summary } = tree;
  const facts = [
    ["Recording", `${source.name}, ${grouped(source.size)} bytes`], ["Written by", meta.program], ["Position", meta.fen],
    ["Tree", `iteration ${summary.iteration}${summary.complete ? "" : " (stopped)"}, ${grouped(summary.nodes)} nodes on ${summary.levels.length - 1} levels`],
  ];
  const lost = [[summary.without_numbers, "have their rules without numbers"], [summary.dropped, "have only the rules of the node"]].filter(([count]) => count);
  if (lost.length) facts.push(["Not kept", `for want of room the moves left out at ${lost.map(([count, what]) => `${grouped(count)} nodes ${what}`).join(", at ")}`]);
  return make("section", { class: "card" }, make("h2", {}, "Recording"),
    make("dl", {}, ...facts.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)])),
    make("details", {}, make("summary", {}, `Options: ${meta.options.length ? `${meta.options.length} changed` : "all at their defaults"}`), make("p", { class: "hint" }, changed)));
}

function cutBars(title, cuts) {
  const whole = cuts.reduce((sum, count) => sum + count, 0);
  const shown = cuts.slice(0, 10).map((count, k) => ({ name: `move ${k + 1}`, count, group: "cut", share: percent(count, whole) }));
  const rest = cuts.slice(10).reduce((sum, count) => sum + count, 0);
  if (rest) shown.push({ name: "later moves", count: rest, group: "cut", share: percent(rest, whole) });
  return bars(title, shown, { note: `${grouped(whole)} cut-offs` });
}

class SummaryView {
  constructor(host, events) {
    this.host = host;
    this.events = events; // { reveal(index), list(text), changed(), failed(error) }
  }

  show(tree) {
    const { summary, recording } = tree;
    const whiteAtRoot = Position.fromFen(recording.meta.fen).white;
    const { list } = this.events;
    const ends = [...LEGEND.ends, ...recording.own];
    this.map = new TreeMap(tree, this.events);
    this.host.replaceChildren(this.map.card,
      make("div", { class: "cards" },
        bars("Share of nodes by reason", entriesOf(summary.ends, ends, summary.nodes), { note: "Why nodes ended. Click a reason for the list.", list }),
        methodTable(summary),
        iterationTable(recording, whiteAtRoot),
        bars("Effective branching factor", growth(recording.meta.iterations), { note: "Nodes of an iteration to those of the one before." }),
        bars("Nodes below probes and re-searches", entriesOf(summary.spent, LEGEND.purposes, summary.nodes), { note: "Nested ones of the same kind are counted once.", list }),
        bars("Moves searched deeper or shallower", entriesOf(summary.changes, LEGEND.changes, summary.nodes), { list }),
        bars("Nodes where a method acted", entriesOf(summary.marks, LEGEND.marks, summary.nodes), { list }),
        bars("Kinds of nodes", entriesOf(summary.kinds, LEGEND.kinds, summary.nodes).map((each) => ({ ...each, word: null }))),
        cutBars("Cut-offs by move number", summary.cuts),
        cutBars("Cut-offs by move number, quiescence", summary.quiescence_cuts),
        bars("Nodes by ply", summary.levels.slice(1).map((count, k) => ({ name: `level ${k}`, count }))),
        subjectCard(tree)));
    this.map.begin();
  }
}

/** Rows of a rectangle filled so that the parts are nearly square (Bruls, Huizing & van Wijk, 2000). */
function squarified(sizes, box) {
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const scale = (box.w * box.h) / Math.max(1, whole);
  const areas = sizes.map((size) => size * scale);
  const boxes = [];
  let { x, y, w, h } = box;
  let start = 0;
  while (start < areas.length) {
    const side = Math.min(w, h);
    const worst = (sum, least, most) => Math.max((side * side * most) / (sum * sum), (sum * sum) / (side * side * least));
    let end = start + 1;
    let sum = areas[start];
    while (end < areas.length) {
      const next = sum + areas[end];
      if (worst(next, areas[end], areas[start]) > worst(sum, areas[end - 1], areas[start])) break;
      sum = next;
      end++;
    }
    const thick = side > 0 ? sum / side : 0;
    let along = 0;
    for (let k = start; k < end; k++) {
      const long = thick > 0 ? areas[k] / thick : 0;
      boxes.push(w >= h ? { x, y: y + along, w: thick, h: long } : { x: x + along, y, w: long, h: thick });
      along += long;
    }
    if (w >= h) [x, w] = [x + thick, w - thick];
    else [y, h] = [y + thick, h - thick];
    start = end;
  }
  return boxes;
}

const MOST_READS = 500;
const FRAME = 90; // milliseconds between two paints while reading
const ZOOM = 260; // duration of a zoom in milliseconds

/** A treemap: area is nodes, colour the reason or the value. Painted while it is read. */
class TreeMap {
  constructor(tree, events) {
    this.tree = tree;
    this.events = events;
    this.trail = [];
    this.colour = make("select", { "aria-label": "Colour", onchange: () => this.recolour(this.colour.value) },
      make("option", { value: "reason" }, "reason"), make("option", { value: "value" }, "value"));
    this.crumbs = make("p", { class: "crumbs" });
    this.picture = svg("svg", { class: "treemap", tabindex: "0", role: "application",
      "aria-label": "Treemap; arrow keys choose, Enter goes in, Backspace out, Space selects in the tree" });
    this.picture.addEventListener("keydown", (event) => this.key(event));
    this.caption = make("p", { class: "hint caption", role: "status" }, "");
    this.card = make("section", { class: "card map" }, this.crumbs, this.picture, this.caption,
      make("details", { class: "options" }, make("summary", {}, "Options and colours"),
        make("p", { class: "hint" }, "Area is nodes. A click goes in one level, a double-click shows the node in the tree. Colour: ", this.colour), colourLegend(tree.recording)));
  }

  /** The node shown, for the address. */
  get top() {
    return this.trail.length > 1 ? this.trail[this.trail.length - 1].node.index : 0;
  }

  /** Sets the meaning of the colours, also in a linked treemap. */
  recolour(name) {
    this.colour.value = name === "value" ? "value" : "reason";
    this.draw();
    if (this.events.recoloured) this.events.recoloured(this.colour.value);
    this.events.changed();
  }

  /** The visible part, for the address. */
  state() {
    const state = {};
    if (this.top) state.map = this.top;
    if (this.colour.value === "value") state.colour = "value";
    return state;
  }

  async apply(wanted) {
    if ((wanted.colour || "reason") !== this.colour.value) this.recolour(wanted.colour);
    const top = Number(wanted.map) || 0;
    if (this.top !== top && top < this.tree.summary.records) await this.goTo(top);
  }

  get box() {
    const w = Math.max(280, this.picture.clientWidth || 1000);
    return { x: 0, y: 0, w, h: Math.max(220, Math.min(0.56 * w, 0.62 * innerHeight)) };
  }

  /** Shows the whole tree. */
  begin() {
    this.started = this.started || this.goTo(0);
    return this.started;
  }

  /** Shows a node. */
  async goTo(index) {
    try {
      this.trail = await rowsTo(this.tree, index);
      await this.draw();
    } catch (error) {
      this.events.failed(error);
    }
  }

  /** Draws the current node, repeatedly while it is read. */
  async draw() {
    const turn = (this.turn = (this.turn || 0) + 1);
    try {
      const top = this.trail[this.trail.length - 1];
      for await (const parts of this.parts(top, turn)) {
        if (turn !== this.turn) return;
        this.paint(parts);
        this.zoomOut();
      }
    } catch (error) {
      this.events.failed(error);
    }
  }

  /** Boxes with their rows, outer ones first; the list grows from call to call. */
  async *parts(top, turn) {
    this.frame = this.box;
    const queue = [{ row: top, box: this.frame }];
    const parts = [];
    let painted = -Infinity;
    for (let reads = 0; queue.length > 0 && reads < MOST_READS; reads++) {
      const { row, box } = queue.shift();
      const nodes = (await this.tree.children(row.node)).sort((a, b) => b.nodes - a.nodes);
      if (turn !== this.turn) return;
      const boxes = squarified(nodes.map((node) => node.nodes), box);
      nodes.forEach((node, k) => {
        const inner = boxes[k];
        if (inner.w * inner.h < 12) return;
        const child = new Row(node, row, this.tree);
        parts.push({ row: child, box: inner });
        const room = { x: inner.x + 2, y: inner.y + 14, w: inner.w - 4, h: inner.h - 16 };
        if (room.w > 26 && room.h > 16 && child.hasChildren) queue.push({ row: child, box: room });
      });
      if (performance.now() - painted > FRAME) {
        yield parts;
        painted = performance.now();
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    yield parts;
  }

  shade(row, root) {
    if (this.colour.value !== "value") return { class: `part ${row.node.end.group}` };
    if (row.node.value === LEGEND.none) return { class: "part stopped" };
    const white = (each) => (each.position.white ? each.node.value : -each.node.value);
    const apart = (white(row) - white(root)) / 300;
    const lead = Math.sign(apart) * Math.sqrt(Math.min(1, Math.abs(apart)));
    const hue = lead > 0 ? 150 : 20;
    return { class: "part value", style: `fill:hsl(${hue} ${Math.round(75 * Math.abs(lead))}% 58%)` };
  }

  paint(parts) {
    const { w, h } = this.frame;
    this.boxes = [...parts];
    if (!this.zooming) this.picture.setAttribute("viewBox", `0 0 ${w} ${h}`);
    this.picture.style.aspectRatio = `${w} / ${h}`;
    this.picture.replaceChildren();
    const root = this.trail[0];
    for (const part of parts) this.paintPart(part, root);
    this.crumbs.replaceChildren(...this.trail.map((row, k) => make("button", { class: "link", onclick: () => this.back(k) }, row.name)));
    this.choose(0);
  }

  paintPart(part, root) {
    const { row, box } = part;
    const group = svg("g", {}, this.picture);
    part.rect = svg("rect", { x: box.x, y: box.y, width: Math.max(0, box.w - 0.8), height: Math.max(0, box.h - 0.8), ...this.shade(row, root) }, group);
    svg("title", {}, group).textContent = this.describe(row);
    // A name is shown completely or not at all.
    if (box.w > 24 && box.h > 13 && row.name.length * 6.6 < box.w - 6) {
      const dark = /^(mate|multi|cut|prob|stopped)$/.test(row.node.end.group) && this.colour.value !== "value";
      svg("text", { x: box.x + 3, y: box.y + 11, class: dark ? "on-dark" : "" }, group).textContent = row.name;
    }
    group.addEventListener("click", () => this.enter(row));
    group.addEventListener("dblclick", () => this.events.reveal(row.node.index));
    group.addEventListener("mouseover", () => (this.caption.textContent = this.describe(row)));
  }

  describe(row) {
    const line = lineText(pathOf(row)) || row.name;
    return `${line}: ${grouped(row.node.nodes)} nodes, ${seen(row.node, row.position.white).value}, ${endWhy(row) || row.node.end.label}`;
  }

  /** Zooms in by one level, to the top-level child that contains a row. */
  enter(row) {
    const top = this.trail[this.trail.length - 1];
    let child = row;
    while (child.parent && child.parent !== top) child = child.parent;
    if (!child.hasChildren) {
      this.caption.textContent = this.describe(row);
      return;
    }
    const part = this.boxes.find((each) => each.row === child);
    this.trail.push(child);
    this.moved(part && part.box);
  }

  back(k) {
    this.left = this.trail[k + 1];
    this.trail.length = k + 1;
    this.moved();
  }

  /** Zooms into a box, then draws it. */
  moved(box) {
    this.events.changed();
    app.ready = this.zoom(this.frame, box).then(() => this.draw());
  }

  /** Zooms out of the previous node, once the treemap shows it. */
  zoomOut() {
    const part = this.left && this.boxes.find(({ row }) => row.node.index === this.left.node.index);
    if (!part) return;
    this.left = null;
    this.zoom(part.box, this.frame);
  }

  async zoom(from, to) {
    if (!to || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const begun = performance.now();
    this.zooming = true;
    for (;;) {
      const now = await new Promise(requestAnimationFrame);
      const t = Math.min(1, Math.max(0, (now - begun) / ZOOM));
      const ease = t * t * (3 - 2 * t);
      const mix = (a, b) => a + (b - a) * ease;
      this.picture.setAttribute("viewBox", `${mix(from.x, to.x)} ${mix(from.y, to.y)} ${mix(from.w, to.w)} ${mix(from.h, to.h)}`);
      if (t >= 1) break;
    }
    this.zooming = false;
  }

  choose(k) {
    if (!this.boxes || !this.boxes.length) return;
    this.chosen = Math.max(0, Math.min(this.boxes.length - 1, k));
    this.boxes.forEach((part, each) => part.rect.classList.toggle("chosen", each === this.chosen));
    this.caption.textContent = this.describe(this.boxes[this.chosen].row);
    if (this.events.chosen) this.events.chosen(this.boxes[this.chosen].row);
  }

  key(event) {
    if (!this.boxes || !this.boxes.length) return;
    const row = this.boxes[this.chosen].row;
    const actions = {
      ArrowRight: () => this.choose(this.chosen + 1), ArrowDown: () => this.choose(this.chosen + 1),
      ArrowLeft: () => this.choose(this.chosen - 1), ArrowUp: () => this.choose(this.chosen - 1),
      Home: () => this.choose(0), Enter: () => this.enter(row), " ": () => this.events.reveal(row.node.index),
      Backspace: () => this.trail.length > 1 && this.back(this.trail.length - 2),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
