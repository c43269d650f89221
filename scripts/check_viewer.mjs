// Drives the tree viewer in Chromium. Every number a page shows is held to what `espalier tree` reads from the same
// file. Called by check-viewer with the program and a folder to work in; a third word runs only the checks whose names
// have it (on the files that a whole run has left in the folder).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [program, place] = process.argv.slice(2, 4).map((each) => path.resolve(each));
const only = process.argv[4] || "";
const { chromium } = createRequire(path.join(place, "node_modules/"))("playwright-core");
const file = (name) => path.join(place, name);
const espalier = (...args) =>
  execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });

const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const PROMOTIONS = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1";
const EN_PASSANT = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
const CHESS960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";

/** Windows and colours that every part of the page is looked at in. */
const LOOKS = [[1280, 720], [1000, 700], [400, 800]].flatMap((size) => ["light", "dark"].map((colour) => [size, colour]));

/** Settings under which the lists of moves left out have no room for all their numbers. */
const MANY_LEFT_OUT = ["--set", "LateMovePruning=false", "--set", "DeepFutilityDepth=12", "--set", "DeepFutilityMargin=0"];

/** What the recording `methods` must have for the checks: methods by a word of theirs, and rules by their sentences. */
const NUMBER = "[+−]?[0-9.]+";
const METHODS = {
  "reverse futility": (node) => node.end === "reverse-futility", "probcut by a capture": (node) => node.end === "capture-cut",
  "besides the hash move": (node) => node.end === "singular-cut", "capture that may cut": (node) => node.purpose === "capture-probe",
  "delta": (node) => node.marks.includes("delta-moves"), "losing": (node) => node.marks.includes("losing-moves-out"),
  "no hash move": (node) => node.marks.includes("no-hash-move"), "not singular": (node) => node.change === "not-singular",
  "hindsight": (node) => node.marks.includes("hindsight"),
  "futility left out": (node) => node.marks.some((mark) => mark.endsWith("futility-moves")),
};
const RULES = {
  "futility-moves": `futility: static ${NUMBER} [+−] margin ${NUMBER} ≤ α ${NUMBER}`, "late-moves-out": "late moves: quiet moves after the first [0-9]+",
  "losing-moves-out": `losing exchange: wins less than ${NUMBER}`, "bad-history-out": "bad history: below about [−0-9]+",
  "delta-moves": `delta pruning: static ${NUMBER} [+−] margin ${NUMBER} ≤ α ${NUMBER}`,
};
const rulesOf = (node) => new Set(node.left_out.map(({ why }) => why.split(":")[0]));
const hasRule = (nodes, mark) => nodes.find((node) => node.marks.some((each) => each.endsWith(mark)) &&
  node.left_out.some(({ why }) => new RegExp(`^${RULES[mark]}$`).test(why)));

/** Do the nodes show every method, rule and sentence that the checks look for? */
const showsAll = (nodes) => Object.values(METHODS).every((test) => nodes.some(test)) &&
  Object.keys(RULES).every((mark) => hasRule(nodes, mark)) && nodes.some((node) => rulesOf(node).size > 2) &&
  nodes.some((node) => node.change === "lmr" && node.bound === ">=" && node.number > 0) && nodes.some((node) => node.end === "cut-off" &&
    node.kind === "N" && node.fen.split(" ")[1] === "b" && node.replies.length === 2) && nodes.some((node) => node.purpose === "singular-probe");

/** Records as deep as it takes to have what is wanted, so that the checks do not hang on the tree of one version. */
const recorder = (depths, hasAll) => (name, fen, ...args) => {
  for (const depth of depths) {
    record(name, fen, "--depth", String(depth), ...args);
    if (hasAll(file(name))) return;
  }
  assert.fail(`${name}: something never happens up to depth ${depths.at(-1)}`);
};
const RECORDERS = {
  methods: recorder([8, 9, 10, 11, 12], (recording) => showsAll(dump(recording))),
  lost: recorder([7, 8, 9, 10, 11, 12], (recording) => {
    const { without_numbers: numbers, dropped } = metaOf(recording).trees.at(-1);
    return numbers > 0 && dropped > 0;
  }),
};

/** Records a search and returns the name of the file. */
function record(name, fen, ...args) {
  espalier("tree", "record", "--fen", fen, "--out", file(name), ...args);
  return file(name);
}

function view(page, ...recordings) {
  espalier("tree", "view", ...recordings, "--out", file(page));
  return file(page);
}

const dump = (recording, ...args) =>
  espalier("tree", "dump", recording, ...args).trim().split("\n").map((line) => JSON.parse(line));
const show = (recording, ...args) => JSON.parse(espalier("tree", "show", recording, "--json", ...args));

/** The text part of a recording. */
function metaOf(recording) {
  const bytes = fs.readFileSync(recording);
  return JSON.parse(bytes.subarray(Number(bytes.readBigUInt64LE(16))).toString("utf8"));
}

let browser;
const problems = [];

view("empty.html");

async function open(name, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, ...options });
  page.on("pageerror", (error) => problems.push(`${name}: ${error.stack}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(`${name} asked for ${request.url()}`);
  });
  await page.goto(`file://${name}`);
  await settled(page);
  return page;
}

const settled = (page) => page.evaluate(() => app.ready);
const press = async (page, ...keys) => {
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(40);
  }
};
const selected = (page) => page.evaluate(() => treeView.selected.node.index);
const rows = (page) => page.evaluate(() => treeView.rows.map((row) => ({
  index: row.node.index, name: row.name, kind: row.node.kind.name, end: row.node.end.name, nodes: row.node.nodes,
  purpose: row.node.purpose.name, level: row.level, leftOut: row.leftOut || "" })));
const message = (page) => page.evaluate(() => ($("message").hidden ? "" : $("message").textContent));

/** Every node of a tree as the page's own reader and rules see it. */
const readAll = (page) => page.evaluate(async () => {
  const bits = (names, value) => names.filter((_, bit) => (value >> bit) & 1);
  const all = [];
  const tree = treeView.tree;
  const visit = async (row) => {
    const n = row.node;
    const move = unpackMove(n.bits);
    all.push({
      index: n.index, san: move ? row.name : isPass(n) ? "--" : "", fen: row.position.fen(),
      purpose: n.purpose.name, end: n.end.name, kind: n.kind.name, cut: n.cut,
      bound: { upper: "<=", lower: ">=", exact: "=" }[n.bound], uncertain: n.uncertain, raised: n.raised,
      marks: marksOf(n).map((mark) => mark.name), number: n.number, change: n.change.name, by: n.by,
      classes: bits(LEGEND.classes, n.classes), alpha: n.alpha, beta: n.beta, value: n.value,
      eval: n.eval === LEGEND.none ? null : n.eval, depth: n.depth, best: n.best === NO_BEST ? null : n.best,
      nodes: n.nodes, parent: n.parent, print: n.print, replies: repliesOf(n, row.position),
      numbers: n.numbers.map((number) => (number === LEGEND.none ? null : number)), why: n.index ? endWhy(row) : "",
      left_out: (await leftOutOf(tree, n, await tree.children(n), row.position)).map(({ move, san, kept }) => ({ move: san, why: leftOutWhy(n, row.position, move, kept) })),
    });
    await row.open();
    for (const child of row.children || []) await visit(child);
    row.children = null;
  };
  await visit(new Row(...(await tree.withReplies([await tree.node(0)])), null, tree));
  return all;
});

const checks = [];
const check = (name, run) => checks.push({ name, run });

check("every node, move, board and number is what the library reads", async () => {
  const cases = [
    ["castling", KIWIPETE, "--depth", "4"], ["methods", KIWIPETE, "--set", "SingularDepth=4", "--set", "Hindsight=true", "--set", "CaptureCut=true", "--set", "InternalReduction=true"],
    ["lost", KIWIPETE, ...MANY_LEFT_OUT], ["promotions", PROMOTIONS, "--depth", "4", "--set", "Preset=Crafty"],
    ["en-passant", EN_PASSANT, "--depth", "7", "--set", "NullMoveEval=false"],
    ["chess960", CHESS960, "--depth", "4", "--set", "UCI_Chess960=true", "--set", "Preset=TurkMC"],
  ];
  for (const [name, fen, ...args] of cases) {
    const recording = file(`${name}.tree`);
    (RECORDERS[name] || record)(`${name}.tree`, fen, ...args);
    const page = await open(view(`${name}.html`, recording));
    await page.selectOption("#pov", "mover");
    const [shown, read] = [await readAll(page), dump(recording)];
    for (const node of read) delete node.uci;
    read[0].why = "";
    assert.equal(shown.length, read.length, name);
    for (let k = 0; k < read.length; k++) assert.deepEqual(shown[k], read[k], `${name}, node ${read[k].index}`);
    await page.close();
    console.log(`   ${name}: ${read.length} nodes`);
  }
});

check("a person walks the tree with the keyboard and sees each node", async () => {
  const recording = record("kiwipete.tree", KIWIPETE, "--depth", "7");
  const page = await open(view("kiwipete.html", recording));
  assert.equal(await page.evaluate(() => document.activeElement.id), "tree");
  await press(page, "ArrowDown", "ArrowRight", "ArrowDown", "Enter", "ArrowDown");
  const index = await selected(page);
  const { fen, path: above } = show(recording, "--node", String(index));
  assert.equal(above.length, 5);
  assert.equal(await page.inputValue("#fen"), fen);
  const line = above.map((node) => node.san).filter(Boolean);
  const text = await page.textContent("#line");
  assert.deepEqual(text.replace(/\d+[.…]/g, "").trim().split(/\s+/), line);
  const table = await page.$$eval("#path tr", (rows) => rows.map((row) => Number(row.dataset.index)));
  assert.deepEqual(table, above.map((node) => node.index));
  const pieces = await page.$$eval("#board .piece", (all) => all.length);
  assert.equal(pieces, fen.split(" ")[0].replace(/[^a-z]/gi, "").length);
  await press(page, "ArrowLeft");
  assert.equal(await selected(page), above[3].index, "left goes to the parent");
  await press(page, "ArrowLeft");
  assert.equal(await page.evaluate(() => treeView.selected.children), null, "left closes");
  await press(page, "Home");
  assert.equal(await selected(page), 0);
  await press(page, "End", "PageUp", "PageDown");
  await press(page, "Home", "b", "b", "b");
  const pv = await page.evaluate(() => treeView.selected.pv && treeView.selected.level);
  assert.equal(pv, 3, "b follows the principal variation");
  await page.close();
});

check("values are shown for White or for the side to move", async () => {
  const page = await open(file("kiwipete.html"));
  await press(page, "Home", "b", "b");
  const node = show(file("kiwipete.tree"), "--node", String(await selected(page))).path.at(-1);
  const cell = () => page.textContent(".row.selected .value");
  const text = (raw) => `${raw > 0 ? "+" : raw < 0 ? "−" : ""}${(Math.abs(raw) / 100).toFixed(2)}`;
  assert.equal(node.bound, "=");
  assert.equal(await cell(), text(-node.value), "Black is to move, White looks");
  await page.selectOption("#pov", "mover");
  assert.equal(await cell(), text(node.value));
  await page.close();
});

/** Nodes that pass a test, and all above them. */
function withAncestors(nodes, test) {
  const byIndex = new Map(nodes.map((node) => [node.index, node]));
  const wanted = new Set();
  for (const node of nodes) {
    if (!test(node, byIndex.get(node.parent))) continue;
    for (let here = node; here.index && !wanted.has(here.index); here = byIndex.get(here.parent)) wanted.add(here.index);
  }
  return wanted;
}

const isAgain = (node) => node.purpose.startsWith("re-search");
const isChange = (node, parent) => node.raised && parent.kind === "P" && node.beta - node.alpha > 1;

check("every number in the rows, the facts and the path is the library's", async () => {
  const recording = file("methods.tree");
  const page = await open(file("methods.html"), { viewport: { width: 1280, height: 720 } });
  await page.selectOption("#pov", "mover");
  await press(page, "Home", "b", "b", "b", "b");
  const nodes = new Map(dump(recording).map((node) => [node.index, node]));
  const sign = { "<=": "≤", ">=": "≥", "=": "" };
  const score = (raw) => Math.abs(raw) >= 32001 ? (raw < 0 ? "−∞" : "∞") : Math.abs(raw) > 31000
    ? `${raw < 0 ? "−" : ""}#${Math.floor((32000 - Math.abs(raw) + (raw > 0 ? 1 : 0)) / 2)}`
    : `${raw > 0 ? "+" : raw < 0 ? "−" : ""}${(Math.abs(raw) / 100).toFixed(2)}`;
  const value = (node) => `${sign[node.bound]}${score(node.value)}${node.uncertain ? "?" : ""}`;
  const depth = (node) => String(node.depth % 100 ? (node.depth / 100).toFixed(2) : node.depth / 100);
  const kind = (node) => (node.kind === "I" ? "" : node.kind);
  const shown = await page.$$eval("#tree .row:not(.omitted)", (rows) => rows.map((row) => [Number(row.dataset.index),
    ...["value", "nodes", "kind", "depth"].map((name) => row.querySelector(`.${name}`).textContent.replace(/\u202f/g, ""))]));
  assert.ok(shown.length > 15);
  for (const [index, ...cells] of shown) {
    const node = nodes.get(index);
    assert.deepEqual(cells, [value(node), String(node.nodes), kind(node), depth(node)], `row ${index}`);
  }
  const table = await page.$$eval("#path tr", (rows) => rows.map((row) => [Number(row.dataset.index),
    ...[...row.cells].slice(1, 5).map((cell) => cell.textContent)]));
  assert.equal(table.length, 5);
  for (const [index, ...cells] of table) {
    const node = nodes.get(index);
    assert.deepEqual(cells, [value(node), kind(node), `(${score(node.alpha)}, ${score(node.beta)})`, depth(node)], `path ${index}`);
  }
  await page.close();
});

check("each method has its name, and the moves it left out are listed", async () => {
  const recording = file("methods.tree");
  const page = await open(file("methods.html"));
  const nodes = dump(recording);
  for (const [word, test] of Object.entries(METHODS)) {
    const first = nodes.find(test);
    assert.ok(first, `no ${word} in the recording`);
    await page.focus("#tree");
    await press(page, "Home", "/");
    await page.fill("#find", word);
    await press(page, "Enter");
    await page.waitForFunction(() => / of |none|neither/.test($("find-status").textContent));
    assert.equal(await selected(page), first.index, word);
    assert.match((await page.textContent("#facts")).toLowerCase(), new RegExp(word), word);
  }
  const pruned = nodes.find((node) => node.left_out.length > 3);
  await page.evaluate((index) => treeView.reveal(index), pruned.index);
  await page.waitForSelector("#left-out");
  const out = show(recording, "--node", String(pruned.index)).left_out.map((each) => each.move);
  const text = await page.textContent("#left-out");
  assert.deepEqual(text.split(": ")[1].split(" "), out);
  assert.ok(text.startsWith(`${out.length} of `), text);
  await page.close();
});

check("every control is reached and used with the keyboard alone", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await page.goto(`file://${file("methods.html")}`);
  await settled(page);
  await press(page, "ArrowDown", "ArrowRight", "ArrowDown");
  const wanted = ["tab-tree", "iteration", "pov", "open", "find", "find-previous", "find-next", "sort", "filter-quiescence",
    "filter-hash", "filter-changes", "filter-again", "filter-omitted", "tree", "splitter", "fen", "copy", "copy-link", "copy-line", "copy-record"];
  const met = new Set();
  await page.evaluate(() => (document.querySelector("details.menu").open = true));
  for (let k = 0; k < 60 && !wanted.every((id) => met.has(id)); k++) {
    const id = await page.evaluate(() => document.activeElement.id);
    if (id === "filter-quiescence" && !met.has(id)) {
      await press(page, " ");
      assert.ok((await rows(page)).every((row) => row.kind !== "Q"), "the filter is on");
    }
    if (id === "copy") {
      await press(page, "Enter");
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.inputValue("#fen"), "the FEN is copied");
    }
    met.add(id);
    // First down to the end of the page, then back up to its beginning.
    await press(page, met.has("copy-record") ? "Shift+Tab" : "Tab");
  }
  assert.deepEqual(wanted.filter((id) => !met.has(id)), [], "not reached");
  await page.focus("#tab-tree");
  await press(page, "ArrowRight");
  assert.ok(await page.isVisible("#panel-flame"));
  await press(page, "ArrowRight");
  assert.ok(await page.isVisible("#panel-summary"));
  await press(page, "ArrowRight");
  assert.ok(await page.isVisible("#panel-compare"));
  await context.close();
});

check("a file is dropped, and the colours of the reasons differ", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(file("empty.html"), { colorScheme });
    const bytes = fs.readFileSync(file("methods.tree")).toString("base64");
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], "dropped.tree"));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, bytes);
    await page.waitForSelector(".row");
    assert.equal(await page.textContent("#file-name"), "dropped.tree");
    await page.click("#tab-summary");
    const colours = await page.$$eval("#panel-summary .legend .mark", (marks) => marks.map((mark) => getComputedStyle(mark).backgroundColor));
    assert.equal(colours.length, await page.evaluate(() => LEGEND.families.length));
    assert.equal(new Set(colours).size, colours.length, `${colorScheme}: ${colours}`);
    // They differ in lightness too: L* of CIELAB, any two at least 3 apart.
    const lightness = colours.map((text) => {
      const [r, g, b] = text.match(/\d+/g).map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
      return 116 * Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b) - 16;
    }).sort((a, b) => a - b);
    lightness.slice(1).forEach((each, k) => assert.ok(each - lightness[k] > 3, `${lightness}`));
    await page.close();
  }
});

check("filters, sorting and hovering", async () => {
  const recording = file("methods.tree");
  const page = await open(file("methods.html"));
  // Along the principal variation until there is something to hide.
  const hides = (row) => row.end === "hash" || row.kind === "Q";
  await page.evaluate(() => {
    document.querySelector("details.menu").open = true;
    setFilters([]);
  });
  await page.focus("#tree");
  await press(page, "Home");
  for (let steps = 0; steps < 8 && !(await rows(page)).some(hides); steps++) await press(page, "b", "ArrowRight");
  const nodes = dump(recording);
  const kept = { again: withAncestors(nodes, isAgain), changes: withAncestors(nodes, isChange) };
  for (const wanted of Object.values(kept)) await page.evaluate((index) => treeView.reveal(index), Math.max(...wanted));
  const all = await rows(page);
  assert.ok(all.some(hides), "something to hide");
  await page.check("#filter-quiescence");
  assert.deepEqual(await rows(page), all.filter((row) => row.kind !== "Q"));
  await page.check("#filter-hash");
  assert.deepEqual(await rows(page), all.filter((row) => row.kind !== "Q" && row.end !== "hash"));
  await page.uncheck("#filter-quiescence");
  await page.uncheck("#filter-hash");
  assert.deepEqual(await rows(page), all);
  for (const [filter, wanted] of Object.entries(kept)) {
    await page.check(`#filter-${filter}`);
    const left = (await rows(page)).filter((row) => !row.leftOut);
    assert.ok(left.length < all.length && left.some((row) => row.level > 1), filter);
    assert.deepEqual(left, all.filter((row) => !row.leftOut && (row.level < 2 || wanted.has(row.index))), filter);
    await page.uncheck(`#filter-${filter}`);
  }
  await page.selectOption("#sort", "size");
  const parentOf = new Map(nodes.map((node) => [node.index, node.parent]));
  const sorted = (await rows(page)).filter((row) => row.level > 1 && !row.leftOut);
  for (const parent of new Set(sorted.map((row) => parentOf.get(row.index)))) {
    const sizes = sorted.filter((row) => parentOf.get(row.index) === parent).map((row) => row.nodes);
    assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a), `children of ${parent}`);
  }
  assert.ok(sorted.length > 5);
  await page.selectOption("#sort", "order");
  await page.focus("#tree");
  await press(page, "Home", "b");
  await page.hover(`#row-${await page.evaluate(() => treeView.selected.children[0].node.index)}`);
  assert.equal(await page.$$eval("#board .arrow:not(.best, .refutes, .answer)", (all) => all.length), 1, "the child's move is an arrow");
  await page.close();
});

check("moves and reasons are found", async () => {
  const recording = file("kiwipete.tree");
  const page = await open(file("kiwipete.html"));
  const nodes = dump(recording);
  const find = async (text) => {
    await page.focus("#tree");
    await press(page, "Home", "/");
    await page.fill("#find", text);
    await press(page, "Enter");
    await page.waitForFunction(() => / of |none|neither/.test($("find-status").textContent));
    return selected(page);
  };
  assert.equal(await find("Bxa6"), nodes.find((node) => node.san.startsWith("Bxa6")).index);
  assert.equal(await find("e1h1"), nodes.find((node) => /^O-O[+#]?$/.test(node.san)).index);
  assert.equal(await find("O-O-O"), nodes.find((node) => node.san.startsWith("O-O-O")).index);
  // Reasons by their names, those that this tree has.
  const reasons = { "null-move cut": "null-move-cut", "reverse futility": "reverse-futility", "hash cut-off": "hash", "stands pat": "stand-pat" };
  const there = Object.entries(reasons).filter(([, end]) => nodes.some((node) => node.end === end));
  assert.ok(there.length > 1);
  for (const [label, end] of there) assert.equal(await find(label), nodes.find((node) => node.end === end).index, label);
  assert.equal(await find("late-move reduction"), nodes.find((node) => node.change === "lmr").index);
  await find("sunshine");
  assert.match(await page.textContent("#find-status"), /neither a move/);
  await press(page, "Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tree");
  await page.close();
});

check("the summary says what the file says, and the map can be walked", async () => {
  const recording = record("all.tree", KIWIPETE, "--depth", "6", "--all", "--set", "MultiCut=true");
  const page = await open(view("all.html", recording));
  const meta = metaOf(recording);
  assert.equal(await page.$$eval("#iteration option", (all) => all.length), 6);
  await page.click("#tab-summary");
  const text = (await page.textContent("#panel-summary")).replace(/\u202f/g, "");
  for (const each of meta.iterations) assert.ok(text.includes(`${each.nodes}${each.milliseconds} ms`), each.depth);
  const tree = meta.trees.at(-1);
  const names = await page.evaluate(() => Object.fromEntries(LEGEND.ends.map((end) => [end.name, end.label])));
  for (const [name, count] of Object.entries(tree.ends)) {
    assert.ok(text.includes(`${names[name]}${count}  ${((100 * count) / tree.nodes).toFixed(1)} %`), name);
  }
  for (const each of tree.methods) assert.ok(text.includes(`${each.method}${each.attempts}${each.successes}`), each.method);
  tree.cuts.slice(0, 10).forEach((count, k) => assert.ok(text.includes(`move ${k + 1}${count}  `), `cut ${k}`));
  // The map comes first, as wide as the page; options are folded away; nothing is cut off.
  await page.waitForSelector(".treemap rect");
  assert.ok(await page.evaluate(() => $("panel-summary").firstElementChild.matches(".map") && !document.querySelector(".map details").open));
  assert.ok(await page.evaluate(() => document.querySelector(".treemap").clientWidth > innerWidth - 80));
  const clipped = await page.$$eval("#panel-summary .card, #panel-summary td, #panel-summary th", (all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent.slice(0, 60)));
  assert.deepEqual(clipped, []);
  await page.focus(".treemap");
  const crumbs = (count) => page.waitForFunction((wanted) => document.querySelectorAll("#panel-summary .crumbs button").length === wanted, count);
  await crumbs(1);
  await press(page, "Enter");
  await crumbs(2); // one level at a time, however deep the chosen part lies
  await press(page, "ArrowRight", "ArrowRight", "Enter");
  await crumbs(3);
  await press(page, "Backspace");
  await crumbs(2);
  // The zoom moves: several views between the one before and the one behind.
  const views = (into) => page.evaluate(async (into) => {
    const { map } = summaryView;
    const seenViews = new Set();
    if (into) map.enter(map.boxes.find((part) => part.row.hasChildren).row);
    else map.back(map.trail.length - 2);
    const rests = () => !map.zooming && !map.left && map.picture.getAttribute("viewBox") === `0 0 ${map.frame.w} ${map.frame.h}`;
    for (const begun = performance.now(); performance.now() - begun < 10000; await new Promise(requestAnimationFrame)) {
      seenViews.add(map.picture.getAttribute("viewBox"));
      if (seenViews.size > 2 && rests()) break;
    }
    return [seenViews.size > 2, rests()];
  }, into);
  assert.deepEqual(await views(true), [true, true], "the map zooms in");
  await crumbs(3);
  assert.deepEqual(await views(false), [true, true], "the map zooms out");
  await crumbs(2);
  await press(page, "ArrowRight", " ");
  await page.waitForFunction(() => app.tab === "tree" && treeView.selected.level >= 1);
  await page.selectOption("#iteration", { value: "2" });
  await settled(page);
  assert.equal(await page.evaluate(() => treeView.tree.summary.iteration), 3);
  await page.close();
});

check("two recordings are compared", async () => {
  // Small enough to lie in the page.
  const [a, b] = [record("plain.tree", KIWIPETE, "--depth", "4", "--set", "Preset=Turk"),
    record("cut.tree", KIWIPETE, "--depth", "4", "--set", "Preset=TurkMC")];
  const page = await open(view("compare.html", a, b));
  assert.equal(await page.getAttribute("#tab-compare", "aria-selected"), "true");
  await page.waitForFunction(() => !/looking/.test($("vanished").textContent));
  // The first difference by the library: the order of the search, node by node.
  const [left, right] = [dump(a), dump(b)];
  const key = (node) => `${node.uci}/${node.purpose}/${node.alpha}/${node.beta}/${node.depth}`;
  let k = 0;
  while (left[k] && right[k] && key(left[k]) === key(right[k])) k++;
  const text = await page.textContent("#first-difference strong");
  const said = JSON.parse(espalier("tree", "diff", a, b, "--json"));
  assert.equal(text, said.difference, "the page says what tree diff says");
  const above = show(a, "--node", String(left[k].parent)).path.map((node) => node.san).filter(Boolean);
  for (const san of above) assert.ok(text.includes(san === "--" ? "pass" : san), text);
  // Totals by reason, sorted by any column, and the bars that mirror them.
  const totals = () => page.$$eval(".totals tbody tr", (rows) => rows.map((row) => ({ reason: row.cells[0].textContent,
    a: Number(row.cells[1].textContent.replace(/\u202f/g, "")), b: Number(row.cells[2].textContent.replace(/\u202f/g, "")) })));
  const byReason = (p, q) => (p.reason < q.reason ? -1 : 1);
  assert.deepEqual((await totals()).sort(byReason), [...said.totals].sort(byReason));
  await page.click(".totals thead th:nth-child(3) button");
  const sorted = (await totals()).slice(1).map((row) => row.b);
  assert.deepEqual(sorted, [...sorted].sort((p, q) => q - p), "sorted by B");
  assert.equal(await page.$$eval(".totals .half .fill", (all) => all.length), 2 * sorted.length);
  assert.ok((await page.$$eval("#pair-board .arrow", (all) => all.length)) >= 1, "both moves on the board");
  // The chosen row is in the address, and back and forward go from row to row.
  const chosen = () => page.evaluate(() => (compareView.chosen ? [compareView.chosen.a, compareView.chosen.b].map((node) => node && node.index) : null));
  const walked = [];
  await page.focus(".pairs tbody tr:nth-child(2) button");
  for (const key of ["ArrowDown", "ArrowRight", "ArrowDown"]) {
    await press(page, key);
    await page.waitForFunction(() => /pair=/.test(location.hash) && address.text() === location.hash);
    walked.push([await page.evaluate(() => location.hash), await chosen()]);
  }
  assert.equal(new Set(walked.map(([hash]) => hash)).size, 2, "opening a row is no step");
  await page.goBack();
  await settled(page);
  assert.deepEqual(await chosen(), walked[0][1]);
  await page.goForward();
  await settled(page);
  assert.deepEqual(await chosen(), walked[2][1]);
  const linked = await open(`${file("compare.html")}${walked[2][0]}`);
  assert.deepEqual(await linked.evaluate(() => [compareView.chosen.a, compareView.chosen.b].map((node) => node && node.index)), walked[2][1]);
  assert.equal(await linked.$$eval(".pairs tr.chosen", (all) => all.length), 1);
  await linked.close();
  // Two linked maps: a step in one is a step in the other.
  await page.waitForSelector(".maps .map:nth-child(2) .treemap rect");
  await page.evaluate(() => compareView.maps[0].enter(compareView.maps[0].boxes[0].row));
  await page.waitForFunction(() => compareView.maps.every((map) => map.trail.length === 2));
  const first = (await page.textContent("#vanished tr td:nth-child(2)")).replace(/\u202f/g, "");
  assert.ok(Number(first) > 0);
  await page.click("#vanished tr button.link");
  await page.waitForFunction(() => app.tab === "tree");
  assert.equal(String(await page.evaluate(() => treeView.selected.node.nodes)), first);
  await page.waitForFunction(() => app.recording.checked && app.second.checked && $("checked").textContent === "as written");
  // Options that differ stand in the slots; a preset's many are folded away.
  const preset = record("preset.tree", KIWIPETE, "--depth", "4");
  const many = await open(view("preset.html", a, preset));
  const optionsOf = (recording) => new Map(metaOf(recording).options);
  const [mine, other] = [optionsOf(a), optionsOf(preset)];
  const differing = [...new Set([...mine.keys(), ...other.keys()])].filter((name) => mine.get(name) !== other.get(name));
  assert.ok(differing.length > 20, "a preset changes many");
  assert.match(await many.textContent(".slot.a"), new RegExp(`; Preset=Turk, .*and ${differing.length - 5} more that differ`));
  const told = await many.textContent(".slot.a");
  for (const name of differing) assert.ok(told.includes(`${name}=${mine.get(name) || "default"}`), name);
  assert.ok(await many.evaluate(() => document.querySelector(".slots").offsetHeight < 120));
  await many.close();
  // The same recording twice is equal.
  const same = await open(view("same.html", a, a));
  await same.waitForFunction(() => /trees are equal/.test($("first-difference").textContent));
  // The cause is named: a probe, a rule, the iteration before, or nothing but the order of moves.
  const causes = [/'s (null move|ProbCut by a capture) (failed|cut) here/, /A left \S+ out \([a-z -]+\)/, /; iteration 7 gave \S+ in A and \S+ in B\.$/,
    /Only the order of moves differs, and everything before is equal/, /searched the same, but .*; only in [AB]: /];
  for (const depth of ["4", "5", "6", "8", "7", "9", "10"]) {
    const plain = ["--depth", depth, "--set", "Evaluation=Classical"];
    const one = record("cause-a.tree", KIWIPETE, ...plain);
    for (const option of ["NullMove", "DeepFutility", "CaptureHistory", "LateMovePruning", "Singular", "CaptureCut"]) {
      if (!causes.length) break;
      const other = record("cause-b.tree", KIWIPETE, ...plain, "--set", `${option}=false`);
      const { difference } = JSON.parse(espalier("tree", "diff", one, other, "--json"));
      const kind = causes.findIndex((each) => each.test(difference));
      if (kind < 0) continue;
      causes.splice(kind, 1);
      const compared = await open(view("cause.html", one, other));
      await compared.waitForFunction(() => !/looking/.test($("first-difference").textContent));
      assert.equal(await compared.textContent("#first-difference strong"), difference, "the page says what tree diff says");
      await compared.close();
    }
  }
  assert.deepEqual(causes, [], "not met");
  // Another position is refused.
  await same.evaluate(() => chooseTab("compare"));
  await same.evaluate(() => ($("open-input").dataset.place = "second"));
  await same.setInputFiles("#open-input", file("promotions.tree"));
  await same.waitForFunction(() => /Not the same position/.test($("panel-compare").textContent));
  assert.throws(() => espalier("tree", "diff", a, file("promotions.tree")), /not the same position/);
  // Two files chosen at once fill both slots.
  await same.setInputFiles("#open-input", [b, a]);
  await same.waitForFunction(() => $("first-difference") && /After/.test($("first-difference").textContent));
  assert.match(await same.textContent(".slot.a"), /cut\.tree/);
  assert.match(await same.textContent(".slot.b"), /plain\.tree/);
  // Two files dropped at once, too; of different positions they are refused.
  const drop = (...names) => same.evaluate((files) => {
    const data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    return app.ready;
  }, names.map((name) => [name, fs.readFileSync(file(name)).toString("base64")]));
  await drop("plain.tree", "cut.tree");
  await same.waitForFunction(() => $("first-difference") && /After/.test($("first-difference").textContent));
  assert.equal(await same.textContent("#first-difference strong"), text, "as when both came with the page");
  assert.match(await same.textContent(".slot.a"), /plain\.tree/);
  await drop("plain.tree", "promotions.tree");
  await same.waitForFunction(() => /Not the same position/.test($("panel-compare").textContent));
  const loud = await same.evaluate(() => document.querySelector(".refused").getBoundingClientRect().bottom < innerHeight);
  assert.ok(loud, "the refusal is seen at once, whatever options differ");
  await page.close();
  await same.close();
});

check("why a move was rejected stands on its row, and its refutation on the board", async () => {
  const recording = file("methods.tree");
  const page = await open(file("methods.html"));
  const nodes = dump(recording);
  const sentence = async (node) => {
    await page.evaluate((index) => treeView.reveal(index), node.index);
    return page.$$eval(`#row-${node.index} :is(.why, .below)`, (all) => all.map((each) => each.textContent).join(" "));
  };
  const number = NUMBER;
  // White looks: at a node with Black to move, alpha of White is what the reply holds the move to.
  const refuted = nodes.find((node) => node.end === "cut-off" && node.kind === "N" && node.fen.split(" ")[1] === "b" && node.replies.length === 2);
  const text = await sentence(refuted);
  assert.match(text, new RegExp(`^refuted by …${refuted.replies[0].replace(/[+#]/, "\\$&")} .* \\(${number} ≤ α ${number}\\)`), text);
  assert.equal(await page.$$eval("#board .arrow.refutes", (all) => all.length), 1, "the refutation is on the board");
  const reduced = nodes.find((node) => node.change === "lmr" && node.bound === ">=" && node.number > 0);
  assert.match(await sentence(reduced), new RegExp(`LMR −${number}: depth [0-9.]+ of [0-9.]+ gives ${number}`));
  const tested = nodes.find((node) => node.purpose === "singular-probe");
  assert.match(await sentence(tested), new RegExp(`others ${number} [<>≤≥] ${number} = hash ${number} [+−] margin ${number}: (not )?singular`));
  const statically = nodes.find((node) => node.end === "reverse-futility");
  assert.match(await sentence(statically), new RegExp(`reverse futility: static ${number} [+−] margin ${number} [≤≥] [αβ] ${number}`));
  // Moves left out are rows of their own, each with the one rule that did it and its number, as the library reads them.
  await page.selectOption("#pov", "mover");
  const omittedOf = async (node) => {
    await page.evaluate(async (index) => {
      await treeView.reveal(index);
      if (!treeView.selected.children) await treeView.toggle(treeView.selected);
    }, node.index);
    const omitted = (await rows(page)).filter((row) => row.leftOut && String(row.index).startsWith(`${node.index}-`));
    return omitted.map((row) => ({ move: row.name, why: row.leftOut }));
  };
  for (const node of nodes) for (const { why } of node.left_out) assert.doesNotMatch(why, / or /, `node ${node.index}`);
  for (const mark of Object.keys(RULES)) {
    const pruned = hasRule(nodes, mark);
    assert.ok(pruned, `${mark}: no move is left out by it`);
    assert.deepEqual(await omittedOf(pruned), pruned.left_out, mark);
  }
  const several = nodes.find((node) => rulesOf(node).size > 2);
  assert.ok(several, "one node, three rules");
  assert.deepEqual(await omittedOf(several), several.left_out);
  await page.close();
});

check("what there was no room for is said on the row and in the summary", async () => {
  const recording = file("lost.tree");
  const tree = metaOf(recording).trees.at(-1);
  assert.ok(tree.without_numbers > 0 && tree.dropped > 0, JSON.stringify([tree.without_numbers, tree.dropped]));
  const page = await open(file("lost.html"));
  const lost = dump(recording).find((node) => node.left_out.some(({ why }) => why.endsWith("(number not kept)")));
  await page.evaluate((index) => treeView.reveal(index).then(() => treeView.toggle(treeView.selected)), lost.index);
  await page.waitForFunction(() => treeView.rows.some((row) => /number not kept/.test(row.leftOut || "")));
  await page.click("#tab-summary");
  const text = (await page.textContent("#panel-summary")).replace(/\u202f/g, "");
  assert.ok(text.includes(`at ${tree.without_numbers} nodes have their rules without numbers`), text.slice(-300));
  assert.ok(text.includes(`at ${tree.dropped} nodes have only the rules of the node`), text.slice(-300));
  await page.close();
});

check("recordings of version 2 and of early builds open, without numbers", async () => {
  const page = await open(file("empty.html"));
  for (const name of ["version3-early", "version2"]) {
    await page.setInputFiles("#open-input", path.resolve(`tests/data/${name}.tree`));
    await page.waitForFunction((name) => treeView.root && $("file-name").textContent === `${name}.tree` && $("checked").textContent === "as written", name);
    assert.equal(await message(page), "");
  }
  await press(page, "b", "b");
  assert.ok((await rows(page)).length > 20);
  assert.ok((await page.$$eval("#board .arrow.best, #board .arrow.refutes", (all) => all.length)) === 1, "the best reply is read from its record");
  // Its names of razoring are older ones.
  await press(page, "3");
  const counted = await page.$$eval("#panel-summary tr", (all) => all.map((row) => row.textContent));
  assert.ok(counted.some((row) => row.startsWith("razoring: quiescence search does not raise it18")), counted.join("\n"));
  assert.ok(counted.some((row) => row.startsWith("quiescence search of a node far below alpha72")), counted.join("\n"));
  await page.evaluate(() => finder.start("dropped"));
  assert.match(await page.textContent("#find-status"), /18/);
  await page.close();
});

check("names of moves never vanish, columns line up, the splitter moves", async () => {
  const nodes = dump(file("methods.tree"));
  const depths = new Map();
  for (const node of nodes) depths.set(node.index, node.index ? depths.get(node.parent) + 1 : 0);
  const deepest = [...depths].sort((a, b) => b[1] - a[1])[0];
  assert.ok(deepest[1] > 9);
  for (const [[width, height], colorScheme] of [...LOOKS, [[1920, 1080], "light"]]) {
    const page = await open(file("methods.html"), { viewport: { width, height }, colorScheme });
    await page.evaluate((index) => treeView.reveal(index), deepest[0]);
    const rowsSeen = await page.$$eval("#tree .row", (all) => all.map((row) => {
      const [name, san, why, sentence] = ["name", "san", "why", "sentence"].map((part) => row.querySelector(`.${part}`).getBoundingClientRect());
      const told = row.querySelector(".sentence");
      const whole = told.scrollWidth <= told.clientWidth + 1 && told.scrollHeight <= told.clientHeight + 3;
      return { inside: san.right <= name.right + 1, told: whole && sentence.right <= Math.min(why.right, innerWidth) + 1 && sentence.bottom <= why.bottom + 3,
        lefts: [...row.children].filter((cell) => !cell.matches(".below")).map((cell) => Math.round(cell.getBoundingClientRect().left)) };
    }));
    assert.ok(await page.evaluate(() => $("tree").scrollWidth <= $("tree").clientWidth), `the tree scrolls sideways at ${width}`);
    // No sentence is shortened, of whatever kind.
    for (const end of new Set(nodes.map((node) => node.end))) {
      const longest = nodes.filter((node) => node.end === end && node.index).sort((a, b) => b.why.length - a.why.length)[0];
      if (!longest) continue;
      await page.evaluate((index) => treeView.reveal(index), longest.index);
      const shortened = await page.$eval(`#row-${longest.index} .sentence`, (told) => told.scrollWidth > told.clientWidth + 1 || told.scrollHeight > told.parentElement.clientHeight + 3);
      assert.ok(!shortened, `"${longest.why}" is shortened at ${width}`);
    }
    // Nor is a name, at the root or below.
    for (const key of ["Home", "b", "b", "b"]) {
      await page.focus("#tree");
      await press(page, key);
      const names = await page.$$eval("#tree .row", (all) => all.map((row) => ["san", "name", "value"].map((part) => row.querySelector(`.${part}`).getBoundingClientRect()))
        .filter(([san, name, value]) => san.right > name.right + 1 || san.right > value.left + 1).length);
      assert.equal(names, 0, `names are cut at ${width}`);
    }
    // Nor is a value.
    const wide = (node) => `${node.bound}${Math.abs(node.value)}${node.uncertain ? "?" : ""}`.length;
    const widest = nodes.filter((node) => node.index && Math.abs(node.value) < 31000).sort((a, b) => wide(b) - wide(a))[0];
    await page.evaluate((index) => treeView.reveal(index), widest.index);
    const values = await page.$$eval("#tree .row :is(.value, .nodes, .depth, .kind, .ordinal)", (all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent));
    assert.ok(Math.abs(widest.value) >= 1000, "a value of two digits");
    assert.deepEqual(values, [], `values are cut at ${width}`);
    // What was asked of a reduced or singular move, and what came back, stands on its row whole, however long.
    for (const kind of ["lmr", "singular-extension", "not-singular", "singular-probe"]) {
      const fit = (node) => node.change === kind || node.purpose === kind;
      const longest = nodes.filter(fit).sort((a, b) => b.why.length - a.why.length)[0];
      assert.ok(longest, `no ${kind}`);
      await page.evaluate((index) => treeView.reveal(index), longest.index);
      const [text, cut] = await page.$eval(`#row-${longest.index} .decided`, (told) => {
        const [inner, row] = [told.getBoundingClientRect(), told.closest(".row").getBoundingClientRect()];
        const kept = inner.right <= row.right && inner.bottom <= row.bottom + 1 && inner.top >= row.top && (told.matches(".below") || inner.bottom <= told.parentElement.getBoundingClientRect().bottom);
        return [told.textContent, told.scrollWidth > told.clientWidth + 1 || told.scrollHeight > told.clientHeight + 3 || !kept];
      });
      assert.ok(!cut, `"${text}" is shortened at ${width}`);
      assert.match(text, kind === "lmr" ? /depth [0-9.]+ of [0-9.]+ gives / : /^(others|.*\(others) .* margin /, kind);
    }
    // Rows of several heights follow each other without gaps.
    const edges = await page.$$eval("#tree .row", (all) => all.map((row) => [row.getBoundingClientRect().top, row.getBoundingClientRect().bottom]).sort((a, b) => a[0] - b[0]));
    edges.slice(1).forEach(([top], k) => assert.ok(Math.abs(top - edges[k][1]) < 1, `rows overlap at ${width}: ${edges[k]} and ${top}`));
    assert.ok(new Set(edges.map(([top, bottom]) => Math.round(bottom - top))).size <= 3);
    await page.evaluate((index) => treeView.reveal(index), deepest[0]);
    const heads = await page.$$eval("#tree .columns > span", (all) => all.map((cell) => Math.round(cell.getBoundingClientRect().left)));
    assert.ok(rowsSeen.length > 5);
    for (const row of rowsSeen) {
      assert.ok(row.inside, `a name is cut at ${width}`);
      assert.ok(row.told, `a reason is cut at ${width}`);
      assert.deepEqual(row.lefts, heads, `columns at ${width}`);
    }
    const trail = await page.$$eval("#trail button", (all) => all.length);
    assert.equal(trail, deepest[1] + 1, "the breadcrumb has the whole line");
    assert.equal(await page.$$eval("#tree-legend .mark", (all) => all.length), await page.evaluate(() => LEGEND.families.length));
    if (width === 1280) {
      const left = () => page.$eval(".left", (part) => part.getBoundingClientRect().width);
      const before = await left();
      const box = await (await page.$("#splitter")).boundingBox();
      await page.mouse.move(box.x + 3, box.y + 200);
      await page.mouse.down();
      await page.mouse.move(box.x - 197, box.y + 200);
      await page.mouse.up();
      assert.ok(Math.abs(before - (await left()) - 200) < 15, "dragged");
      await page.focus("#splitter");
      await press(page, "ArrowRight");
      assert.ok((await left()) > before - 195, "moved by a key");
      await page.waitForFunction(() => /split=/.test(location.hash));
    }
    await page.close();
  }
});

check("hits are counted and listed in the order of the search; bars open the list; ? shows the keys", async () => {
  const nodes = dump(file("methods.tree"));
  const wanted = nodes.filter((node) => node.end === "hash").map((node) => node.index);
  const page = await open(file("methods.html"));
  await press(page, "Home", "/");
  await page.fill("#find", "hash cut-off");
  await press(page, "Enter");
  const status = () => page.textContent("#find-status");
  await page.waitForFunction(() => / of /.test($("find-status").textContent));
  assert.equal((await status()).replace(/\u202f/g, ""), `1 of ${wanted.length}`);
  assert.equal(await selected(page), wanted[0]);
  const listed = await page.$$eval("#hits .hit", (all) => all.map((each) => Number(each.dataset.index)));
  assert.deepEqual(listed, wanted.slice(0, 200), "in the order of the search");
  await page.focus("#tree");
  await press(page, "n", "n");
  await settled(page);
  assert.equal(await selected(page), wanted[2]);
  assert.match(await status(), /^3 of /);
  await press(page, "N");
  await settled(page);
  assert.match(await status(), /^2 of /);
  await page.waitForFunction(() => document.querySelector("#hits .hit .sentence"));
  await page.click("#hits .hit:nth-of-type(5)");
  await settled(page);
  assert.equal(await selected(page), wanted[4]);
  // The list follows the selected hit from page to page, and can be leafed through.
  const several = ["stand-pat", "reverse-futility"].map((end) => [end, nodes.filter((node) => node.end === end).map((node) => node.index)]).sort((a, b) => b[1].length - a[1].length)[0];
  const [end, many] = several;
  assert.ok(many.length > 220, "hits for several pages");
  await page.focus("#tree");
  await press(page, "Home", "/");
  await page.fill("#find", end);
  await press(page, "Enter");
  await page.waitForFunction((count) => $("find-status").textContent.replace(/\u202f/g, "") === `1 of ${count}`, many.length);
  const shownHits = () => page.$$eval("#hits .hit", (all) => all.map((each) => Number(each.dataset.index)));
  assert.deepEqual(await shownHits(), many.slice(0, 200));
  await page.evaluate((index) => treeView.reveal(index), many[210]);
  await page.waitForFunction((index) => document.querySelector(`#hits .hit.current[data-index="${index}"] .sentence`), many[210]);
  assert.deepEqual(await shownHits(), many.slice(200, 400));
  assert.equal((await page.textContent("#hits .listed span")).replace(/\u202f/g, ""), `201 to ${Math.min(400, many.length)} of ${many.length} in the order of the search`);
  await page.click("#hits .listed >> text=earlier");
  await settled(page);
  assert.deepEqual(await shownHits(), many.slice(0, 200));
  await page.click("#hits .listed >> text=later");
  await settled(page);
  assert.deepEqual(await shownHits(), many.slice(200, 400));
  await page.click("#tab-summary");
  await page.click("#panel-summary th button.link >> text=reverse futility");
  await page.waitForFunction(() => app.tab === "tree" && / of /.test($("find-status").textContent));
  const count = nodes.filter((node) => node.end === "reverse-futility").length;
  assert.ok((await status()).replace(/\u202f/g, "").endsWith(` of ${count}`), await status());
  await page.focus("#tree");
  await press(page, "?");
  assert.ok(await page.isVisible("#keys"));
  assert.match(await page.textContent("#keys"), /to the best move/);
  await press(page, "Escape");
  assert.ok(!(await page.isVisible("#keys")));
  await page.close();
});

check("every state is in the address, and back and forward work", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await page.goto(`file://${file("methods.html")}#node=1&pov=mover`);
  await settled(page);
  const hash = () => page.evaluate(() => location.hash);
  assert.equal(await page.inputValue("#pov"), "mover");
  await page.evaluate(() => treeView.reveal(100));
  await page.waitForFunction(() => /node=100/.test(location.hash));
  await page.evaluate(() => treeView.reveal(200));
  await page.waitForFunction(() => /node=200/.test(location.hash));
  await page.click("#tab-flame");
  await page.waitForFunction(() => /tab=flame/.test(location.hash));
  await page.goBack();
  await settled(page);
  assert.equal(await page.evaluate(() => app.tab), "tree");
  await page.goBack();
  await settled(page);
  assert.equal(await selected(page), 100);
  await page.goForward();
  await settled(page);
  assert.equal(await selected(page), 200);
  await page.selectOption("#sort", "size");
  await page.waitForFunction(() => /sort=size/.test(location.hash));
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.click("#copy-link");
  const link = await clipboard();
  assert.ok(link.endsWith(await hash()), link);
  await page.click("#copy-line");
  const line = (await clipboard()).replace(/\d+[.…]\u00a0?/g, "").trim().split(/\s+/);
  assert.deepEqual(line, show(file("methods.tree"), "--node", "200").path.map((node) => (node.san === "--" ? "pass" : node.san)).filter(Boolean));
  await page.click("#copy-record");
  const command = (await clipboard()).match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ""));
  assert.equal(command[0], "espalier");
  const here = command.slice(1);
  here[here.length - 1] = file("here.tree");
  assert.match(espalier(...here), /a tree of \d+ nodes/, "the command runs");
  const other = await context.newPage();
  await other.goto(link);
  await settled(other);
  assert.deepEqual([await selected(other), await other.inputValue("#sort"), await other.inputValue("#pov")], [200, "size", "mover"]);
  // Whatever is chosen in any part of the page, a link shows it again: the address of the new page is the same.
  const states = [
    ["all.html", async (at) => {
      await at.selectOption("#iteration", { value: "2" });
      await settled(at);
      await at.evaluate(() => setFilters(["hash", "omitted"]));
      await at.evaluate(() => finder.start("cut-off"));
      await at.evaluate(() => setSplit(50));
    }, /iteration=3.*node=\d+.*filter=hash%2Comitted.*find=cut-off.*split=50/],
    ["all.html", async (at) => {
      await at.click("#tab-flame");
      await at.evaluate(() => flameView.loaded);
      await at.check("#flame-all");
      await at.evaluate(() => flameView.loaded);
      await at.focus("#panel-flame canvas");
      await press(at, "ArrowDown", "ArrowDown", "ArrowDown", "Enter");
    }, /tab=flame.*x=\d+-\d+.*all=1.*chosen=0\.\d+/],
    ["all.html", async (at) => {
      await at.click("#tab-summary");
      await at.waitForSelector(".treemap rect");
      await at.evaluate(() => summaryView.map.recolour("value"));
      await at.evaluate(() => summaryView.map.enter(summaryView.map.boxes[0].row));
      await settled(at);
    }, /tab=summary.*map=\d+.*colour=value/],
    ["compare.html", async (at) => {
      await at.waitForFunction(() => compareView.maps && compareView.maps.every((map) => map.boxes && map.boxes.length) && !/looking/.test($("vanished").textContent));
      await at.click(".totals thead th:nth-child(2) button");
      await at.evaluate(() => compareView.maps[1].recolour("value"));
      await at.focus(".pairs tbody tr:nth-child(3) button");
    }, /tab=compare.*pair=\d+\.\d*.*colour=value.*by=a/],
  ];
  for (const [name, change, wanted] of states) {
    const [one, two] = [await open(file(name)), await context.newPage()];
    await change(one);
    await one.waitForFunction(() => location.hash === address.text());
    const text = await one.evaluate(() => address.text());
    assert.match(text, wanted);
    await two.goto(await one.evaluate(() => address.link()));
    await settled(two);
    assert.equal(await two.evaluate(() => address.text()), text);
    await one.close();
    await two.close();
  }
  await context.close();
});

check("the flame chart has every node at its place", async () => {
  const page = await open(file("all.html"));
  await page.click("#tab-flame");
  await page.evaluate(() => flameView.loaded);
  // Nodes of the search are numbered by the order in which it enters them.
  const recording = file("all.tree");
  const nodes = dump(recording);
  const starts = await page.evaluate(() => [...flameView.parts[0].index.start]);
  nodes.forEach((node, k) => assert.equal(starts[node.index], k === 0 ? 0 : k - 1, `node ${node.index}`));
  const again = nodes.filter((node) => /^re-search|^root-(low|high)/.test(node.purpose)).map((node) => node.index).sort((a, b) => a - b);
  assert.deepEqual(await page.evaluate(() => [...flameView.parts[0].index.flags.keys()].filter((n) => flameView.parts[0].index.flags[n] & FLAG_AGAIN)), again);
  const colours = await page.evaluate(() => {
    flameView.paint();
    const pen = flameView.canvas.getContext("2d");
    const { width, height } = flameView.canvas;
    const all = new Set();
    for (const value of new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer)) all.add(value);
    return [all.size, flameView.drawn];
  });
  assert.ok(colours[0] > 6 && colours[1] > 100, `${colours}`);
  // A click chooses the node under it, keys zoom, and Space shows it in the tree.
  const box = await (await page.$("#panel-flame canvas")).boundingBox();
  await page.mouse.click(box.x + 5, box.y + 18 * 2 + 5);
  const chosen = await page.evaluate(() => flameView.chosen.node);
  assert.equal(show(recording, "--node", String(chosen)).path.length, 3);
  await press(page, "Enter", "+");
  await page.waitForFunction(() => /x=\d+-\d+/.test(location.hash));
  const span = () => page.evaluate(() => flameView.high - flameView.low);
  const before = await span();
  await page.mouse.move(box.x + 300, box.y + 50);
  await page.mouse.wheel(0, 300);
  await page.waitForFunction((old) => flameView.high - flameView.low > old, before);
  await press(page, "0");
  assert.equal(await span(), nodes.length - 1);
  await page.check("#flame-heavy");
  assert.ok(await page.evaluate(() => {
    const { first, nodes: sizes } = flameView.parts[0].index;
    const start = flameView.starts(flameView.parts[0]);
    const below = [];
    for (let n = first[1]; n < first[2]; n++) below.push(n);
    below.sort((a, b) => start[a] - start[b]);
    return below.every((n, k) => k === 0 || sizes[n] <= sizes[below[k - 1]]);
  }), "left-heavy");
  await page.check("#flame-all");
  await page.evaluate(() => flameView.loaded);
  assert.equal(await page.evaluate(() => flameView.parts.length), 6, "iterations side by side");
  assert.equal(await span(), metaOf(recording).trees.reduce((sum, tree) => sum + tree.nodes, 0));
  await page.uncheck("#flame-all");
  await page.evaluate(() => flameView.loaded);
  await page.focus("#panel-flame canvas");
  await press(page, "ArrowDown", "ArrowDown", "ArrowDown", " ");
  await page.waitForFunction(() => app.tab === "tree" && treeView.selected.level === 2);
  await page.close();
});

check("the tree of another engine has reasons of its own", async () => {
  execFileSync("cc", ["-std=c99", "-o", file("trace_example"), "contrib/trace_example.c"]);
  execFileSync(file("trace_example"), [file("foreign.jsonl")]);
  espalier("tree", "import", file("foreign.jsonl"), "--out", file("foreign.tree"));
  const nodes = dump(file("foreign.tree"));
  const page = await open(view("foreign.html", file("foreign.tree")));
  const counts = metaOf(file("foreign.tree")).trees.at(-1).ends;
  assert.equal(counts["far above beta"], nodes.filter((node) => node.end === "far above beta").length);
  await page.fill("#find", "far above beta");
  await page.focus("#find");
  await press(page, "Enter");
  await page.waitForFunction(() => / of /.test($("find-status").textContent));
  assert.match(await page.textContent("#find-status"), new RegExp(` of ${counts["far above beta"]}$`));
  assert.equal(await page.textContent(".row.selected .sentence"), "far above beta");
  const colours = await page.$$eval("#tree-legend .mark", (all) => all.map((mark) => getComputedStyle(mark).backgroundColor));
  assert.equal(new Set(colours).size, colours.length, "its colour is its own");
  assert.match(await page.textContent("#tree-legend"), /far above beta/);
  await page.close();
});

check("what is wrong with a file is said, and the page goes on", async () => {
  const good = fs.readFileSync(file("kiwipete.tree"));
  const page = await open(file("empty.html"));
  const changed = (edit) => {
    const bytes = Buffer.from(good);
    edit(bytes);
    return bytes;
  };
  const cases = [
    ["empty", Buffer.alloc(0), /not a recording/],
    ["foreign", Buffer.from("<html>something else entirely, and long enough to have a header of 64 bytes</html>"), /not a recording/],
    ["short", good.subarray(0, 30), /truncated: 30 of 64/],
    ["truncated", good.subarray(0, good.length - 1000), /truncated: \d+ of \d+ bytes/],
    ["version", changed((bytes) => bytes.writeUInt32LE(7, 8)), /version 7/],
    ["size", changed((bytes) => bytes.writeUInt32LE(50, 12)), /contradicts itself/],
    ["text", changed((bytes) => (bytes[bytes.length - 40] ^= 1)), /text part/],
    ["node", changed((bytes) => (bytes[64 + 44 + 2] = 31)), /damaged: node 1/],
    ["move", changed((bytes) => bytes.writeUInt16LE(0x0fff, 64 + 2 * 44)), /not legal in/],
  ];
  for (const [name, bytes, wanted] of cases) {
    fs.writeFileSync(file(`bad-${name}.tree`), bytes);
    await page.setInputFiles("#open-input", file(`bad-${name}.tree`));
    await page.waitForFunction(() => !$("message").hidden, null, { timeout: 5000 });
    await settled(page);
    const said = await message(page);
    assert.match(said, wanted, name);
    assert.ok(said.includes(`bad-${name}.tree`), said);
    assert.ok(await page.isVisible("#welcome"), `${name}: no blank page`);
  }
  await page.setInputFiles("#open-input", file("kiwipete.tree"));
  await page.waitForFunction(() => treeView.root && $("checked").textContent === "as written");
  assert.equal(await message(page), "");
  // Damage that no field shows: the last bit of the last node's static value.
  const { start, records } = metaOf(file("kiwipete.tree")).trees.at(-1);
  fs.writeFileSync(file("bad-value.tree"), changed((bytes) => (bytes[64 + (start + records - 1) * 44 + 14] ^= 1)));
  assert.throws(() => espalier("tree", "show", file("bad-value.tree")), /bad-value\.tree: damaged: iteration \d+ has checksum/);
  assert.throws(() => view("bad.html", file("bad-value.tree")), /damaged/);
  await page.setInputFiles("#open-input", file("bad-value.tree"));
  await page.waitForFunction(() => $("checked").textContent === "damaged");
  assert.match(await message(page), /bad-value\.tree: damaged: iteration \d+ has checksum/);
  assert.ok(await page.isVisible("#tree"), "what can be shown is shown");
  await page.close();
});

check("a tree of millions of nodes opens from a file at once", async () => {
  const recording = record("large.tree", KIWIPETE, "--depth", "20", "--nodes", "3000000",
    "--set", "Preset=FullWidth", "--set", "IterativeDeepening=false");
  const size = fs.statSync(recording).size;
  const { nodes } = metaOf(recording).trees[0];
  assert.ok(nodes >= 2999999 && size / nodes <= 48, `${size} bytes for ${nodes} nodes`);
  const deep = record("deep.tree", KIWIPETE, "--depth", "40", "--nodes", "600000", "--set", "Hash=64");
  const deepTrees = metaOf(deep).trees;
  const deepNodes = deepTrees.reduce((sum, tree) => sum + tree.nodes, 0);
  assert.ok(deepTrees.every((tree) => tree.left_out > 0 && !tree.without_numbers && !tree.dropped), "every move left out has its rule and number");
  assert.ok(fs.statSync(deep).size / deepNodes <= 48, `${fs.statSync(deep).size} bytes for ${deepNodes} nodes`);
  const page = await open(view("large.html", recording));
  assert.match(await page.textContent("#welcome-text"), /large\.tree/);
  const begun = performance.now();
  await page.setInputFiles("#open-input", recording);
  await page.waitForSelector(".row");
  const time = performance.now() - begun;
  assert.ok(time < 2000, `${time} ms`);
  const cut = await page.$$eval(".row .nodes, .row .value, .row .depth, .row .san", (all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent));
  assert.deepEqual(cut, [], "numbers of any size have room");
  await press(page, "ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight");
  const index = await selected(page);
  assert.equal(await page.inputValue("#fen"), show(recording, "--node", String(index)).fen);
  // Nodes from all over the tree are what the library reads.
  await page.selectOption("#pov", "mover");
  for (let k = 1; k <= 30; k++) {
    const place = Math.floor((k * nodes) / 31);
    const read = show(recording, "--node", String(place)).path.at(-1);
    const row = await page.evaluate(async (index) => {
      const here = (await rowsTo(treeView.tree, index)).pop();
      const { node, position } = here;
      return { index, fen: position.fen(), nodes: node.nodes, value: node.value, alpha: node.alpha, beta: node.beta, depth: node.depth,
        eval: node.eval === LEGEND.none ? null : node.eval, replies: repliesOf(node, position), end: node.end.name, why: endWhy(here) };
    }, place);
    for (const [key, value] of Object.entries(row)) assert.deepEqual(value, read[key], `${key} of node ${place}`);
  }
  await page.selectOption("#pov", "white");
  const asked = performance.now();
  await page.click("#tab-summary");
  await page.waitForSelector(".treemap rect", { timeout: 30000 });
  const painted = performance.now() - asked;
  assert.ok(painted < 4000, `the map took ${painted} ms to appear`);
  await page.waitForFunction(() => $("checked").textContent === "as written", null, { timeout: 60000 });
  const checked = performance.now() - begun;
  const memory = await page.evaluate(() => performance.memory.usedJSHeapSize);
  assert.ok(memory < 200e6, `${memory} bytes`);
  await page.click("#tab-tree");
  await page.fill("#find", "checkmate");
  await press(page, "Enter");
  await page.waitForFunction(() => / of /.test($("find-status").textContent), null, { timeout: 60000 });
  assert.equal(await page.evaluate(() => treeView.selected.node.end.name), "checkmate");
  const { ends } = metaOf(recording).trees[0];
  assert.equal((await page.textContent("#find-status")).replace(/\u202f/g, "").split(" of ")[1], String(ends.checkmate));
  // The flame chart of all of it: frames while it is zoomed into.
  await page.click("#tab-flame");
  await page.evaluate(() => flameView.loaded);
  const frames = await page.evaluate(() => {
    const times = [];
    for (let k = 0; k < 40; k++) {
      flameView.zoom(k < 20 ? 0.8 : 1.25, 0.4);
      const begun = performance.now();
      flameView.paint();
      flameView.canvas.getContext("2d").getImageData(0, 0, 1, 1); // waits for the picture
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b);
  });
  assert.ok(frames[20] < 33, `half of the frames take more than ${frames[20]} ms`);
  assert.ok(frames[36] < 50, `a tenth of the frames take more than ${frames[36]} ms`);
  // While a wheel turns, as a person sees it.
  const box = await (await page.$("#panel-flame canvas")).boundingBox();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 100);
  await page.evaluate(() => {
    window.seenFrames = 0;
    const count = () => requestAnimationFrame(() => ((window.seenFrames += 1), count()));
    count();
  });
  const turning = performance.now();
  for (let k = 0; k < 60; k++) await page.mouse.wheel(0, k < 30 ? -60 : 60).then(() => page.waitForTimeout(12));
  const rate = (1000 * (await page.evaluate(() => window.seenFrames))) / (performance.now() - turning);
  assert.ok(rate >= 30, `${rate.toFixed(0)} frames a second`);
  console.log(`   flame chart: ${rate.toFixed(0)} frames a second while the wheel turns; ${frames[20].toFixed(1)} ms a frame, the slowest ${frames[39].toFixed(1)} ms; map after ${Math.round(painted)} ms`);
  console.log(`   ${nodes} nodes, ${(size / nodes).toFixed(2)} bytes each, opened in ${Math.round(time)} ms, checked in ${Math.round(checked)} ms, ${(memory / 1e6).toFixed(0)} MB of heap`);
  await page.close();
});

check("two large recordings are compared", async () => {
  const plain = ["--depth", "20", "--nodes", "3000000", "--set", "Preset=FullWidth", "--set", "IterativeDeepening=false"];
  const [a, b] = [record("large.tree", KIWIPETE, ...plain), record("large-null.tree", KIWIPETE, ...plain, "--set", "NullMove=true")];
  const said = JSON.parse(espalier("tree", "diff", a, b, "--json"));
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(view("large-compare.html", a, b), { colorScheme });
    assert.match(await page.textContent("#welcome-text"), /large\.tree .*large-null\.tree .*both files at once/);
    const begun = performance.now();
    await page.setInputFiles("#open-input", [a, b]);
    await page.waitForFunction(() => $("first-difference") && !/looking/.test($("first-difference").textContent), null, { timeout: 30000 });
    const time = performance.now() - begun;
    assert.ok(time < 8000, `the sentence took ${time} ms`);
    await settled(page);
    assert.ok(await page.isVisible("#panel-compare"), "Compare is what the page was made for");
    assert.equal(await page.textContent("#first-difference strong"), said.difference);
    assert.match(said.difference, /null move (failed|cut) here/);
    const totals = await page.$$eval(".totals tbody tr", (rows) => rows.map((row) => ({ reason: row.cells[0].textContent,
      a: Number(row.cells[1].textContent.replace(/\u202f/g, "")), b: Number(row.cells[2].textContent.replace(/\u202f/g, "")) })));
    const byReason = (p, q) => (p.reason < q.reason ? -1 : 1);
    assert.deepEqual(totals.sort(byReason), [...said.totals].sort(byReason));
    await page.waitForFunction(() => compareView.maps.every((map) => map.boxes && map.boxes.length > 3));
    console.log(`   ${colorScheme}: the sentence after ${Math.round(time)} ms`);
    await page.close();
  }
});

/** What must be seen of each part of the page, in every window and in both colours. */
const SEEN = {
  tree: async (page, look) => {
    const cut = await page.evaluate(async () => {
      for (let index = 2; ; index++) if ((await treeView.tree.node(index)).end.name === "cut-off") return treeView.reveal(index).then(() => index);
    });
    assert.equal(await selected(page), cut);
    assert.equal(await page.$$eval("#board .arrow.refutes", (all) => all.length), 1, `${look}: the refutation is on the board`);
    await page.focus("#tree");
    await press(page, "/");
    await page.fill("#find", "hash cut-off");
    await press(page, "Enter");
    await page.waitForFunction(() => / of /.test($("find-status").textContent) && document.querySelector("#hits .hit.current .sentence"));
    await settled(page);
    const hidden = await page.evaluate(() => {
      const within = (inner, outer, above = 0) => {
        const [a, b] = [inner.getBoundingClientRect(), outer.getBoundingClientRect()];
        return a.top >= b.top + above - 1 && a.bottom <= b.bottom + 1;
      };
      const problems = [...document.querySelectorAll("#hits .hit .sentence, #hits .hit .value")].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent);
      if (!within(document.querySelector(".row.selected"), $("tree"), document.querySelector(".columns").offsetHeight)) problems.push("the selected row is out of sight");
      if (!within(document.querySelector(".hit.current"), $("hits"), document.querySelector(".listed").offsetHeight)) problems.push("the selected hit is out of sight");
      return problems;
    });
    assert.deepEqual(hidden, [], `${look}: hits`);
    // Coordinates stand beside the squares, large enough to be read.
    const letters = await page.$$eval("#board .coordinate", (all) => all.map((each) => [each.textContent, each.getBoundingClientRect().height, ...["left", "bottom"].map((edge) => each.getBoundingClientRect()[edge])]));
    const squares = await page.$$eval("#board rect.light, #board rect.dark", (all) => all.map((each) => each.getBoundingClientRect()).map(({ left, bottom }) => [left, bottom]));
    const [left, bottom] = [Math.min(...squares.map((each) => each[0])), Math.max(...squares.map((each) => each[1]))];
    assert.equal(letters.map(([text]) => text).sort().join(""), "12345678abcdefgh", look);
    for (const [text, height, x, y] of letters) assert.ok(height > 11 && (x < left || y > bottom), `${look}: ${text} is ${height} px high`);
    await page.focus("#tree");
    await press(page, "?");
    const inside = await page.$$eval("#keys, .copies button, #find, #find-status, #hits, #trail, #tree-legend .legend", (all) =>
      all.filter((each) => each.getBoundingClientRect().left < 0 || each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.id || each.className));
    assert.deepEqual(inside, [], `${look}: out of the window`);
    await press(page, "Escape");
  },
  flame: async (page, look) => {
    await page.evaluate(() => flameView.loaded);
    const [colours, share] = await page.evaluate(() => {
      flameView.paint();
      const { canvas } = flameView;
      const all = new Set(new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer));
      return [all.size, canvas.clientWidth / innerWidth];
    });
    assert.ok(colours > 6 && share > 0.95, `${look}: ${colours} colours, ${share} of the width`);
  },
  summary: async (page, look) => {
    await page.waitForSelector(".treemap rect");
    assert.ok(await page.evaluate(() => document.querySelector("#panel-summary .treemap").clientWidth > innerWidth - 80), `${look}: the map is as wide as the page`);
    const outside = await page.$$eval("#panel-summary .card :is(td, th, dd, p, .fill)", (all) => all.filter((each) => each.getBoundingClientRect().right > each.closest(".card").getBoundingClientRect().right).map((each) => each.textContent));
    assert.deepEqual(outside, [], `${look}: out of a card`);
  },
  compare: async (page, look) => {
    await page.waitForFunction(() => $("first-difference") && !/looking/.test($("first-difference").textContent));
    const seen = await page.evaluate(() => {
      const box = (name) => document.querySelector(name).getBoundingClientRect();
      const bars = [...document.querySelectorAll(".totals .half .fill")].filter((bar) => bar.getBoundingClientRect().right <= innerWidth);
      return [box("#first-difference").top < box(".totals").top, bars.length, box("#pair-board").right <= innerWidth, document.querySelectorAll(".maps .treemap").length];
    });
    assert.ok(seen[0] && seen[1] > 4 && seen[2] && seen[3] === 2, `${look}: ${seen}`);
    const outside = await page.$$eval("#panel-compare .card :is(td, th, button)", (all) => all.filter((each) => each.offsetWidth && (each.getBoundingClientRect().right > innerWidth + 1 || each.scrollWidth > each.clientWidth + 1)).map((each) => each.textContent));
    assert.deepEqual(outside, [], `${look}: cut off`);
  },
};

check("every part fits windows of all sizes, in light and dark", async () => {
  // Two default searches: every method, long lists, sentences of every kind.
  view("looks.html", record("looks-a.tree", KIWIPETE, "--depth", "10"), record("looks-b.tree", KIWIPETE, "--depth", "10", "--set", "NullMove=false"));
  fs.writeFileSync(file("no.tree"), "not a recording");
  for (const [[width, height], colorScheme] of [...LOOKS, [[1920, 1080], "light"], [[1920, 1080], "dark"]]) {
    const look = `${width} ${colorScheme}`;
    // Nothing open yet, then a wrong file: all that is said is inside the window.
    const empty = await open(file("empty.html"), { viewport: { width, height }, colorScheme });
    await empty.setInputFiles("#open-input", file("no.tree"));
    await empty.waitForFunction(() => !$("message").hidden);
    const lost = await empty.$$eval("header *, #message, #message *, #welcome *", (all) => all.filter((each) => each.offsetWidth && each.getBoundingClientRect().right > innerWidth).map((each) => each.textContent));
    assert.deepEqual(lost, [], `${look}: out of the window`);
    await empty.close();
    const page = await open(file("looks.html"), { viewport: { width, height }, colorScheme });
    for (const [tab, seen] of Object.entries(SEEN)) {
      await page.click(`#tab-${tab}`);
      await seen(page, look);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${tab} is ${over} px too wide at ${look}`);
      const clipped = await page.$$eval(`#panel-${tab} .card`, (all) => all.filter((card) => card.scrollWidth > card.clientWidth + 1).map((card) => card.textContent.slice(0, 40)));
      assert.deepEqual(clipped, [], `${tab} at ${look}`);
    }
    const luminance = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
    assert.equal(luminance > 128, colorScheme === "light");
    await page.close();
  }
});

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--enable-precise-memory-info", "--disable-dev-shm-usage"];
let [ran, failed] = [0, 0];
browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags });
try {
  for (const { name, run } of checks.filter((each) => each.name.includes(only))) {
    ran++;
    const begun = performance.now();
    try {
      await run();
      assert.deepEqual(problems.splice(0), []);
      console.log(`ok ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${name}\n${error.stack}`);
    }
  }
} finally {
  await browser.close();
}
console.log(`${ran - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
