// The page: opens files, shows views and reports errors.

const settings = { pov: "white" };
const $ = (id) => document.getElementById(id);

const app = {
  recording: null,
  second: null,
  tree: null,
  tab: "tree",
  ready: null, // the running task; the tests wait for it
  checks: 0, // number of checks begun; a new one cancels those before
};

function complain(error) {
  const known = error instanceof RecordingError;
  if (!known) console.error(error);
  const text = known ? error.message : `Something is wrong with this page: ${error.message}`;
  $("message").replaceChildren(make("span", {}, text), make("button", { "aria-label": "Dismiss", onclick: () => ($("message").hidden = true) }, "×"));
  $("message").hidden = false;
}

const TABS = ["tree", "flame", "summary", "compare"];

const treeView = new TreeView($("tree"), {
  selected: (row) => {
    detail.show(row);
    finder.tell();
    address.changed();
  },
  hovered: (row) => detail.hover(row),
  failed: complain,
  unfiltered: () => setFilters([]),
});
const copies = Object.fromEntries(["copy", "copy-link", "copy-line", "copy-record"].map((id) => [id, $(id)]));
const detail = new Detail({ board: $("board"), fen: $("fen"), line: $("line"), trail: $("trail"), facts: $("facts"), path: $("path"), copies }, treeView);
const finder = new Finder(treeView, { input: $("find"), status: $("find-status"), next: $("find-next"), previous: $("find-previous"), list: $("hits") });
const flameView = new FlameView($("panel-flame"), { reveal: revealIn, failed: complain, changed: () => address.changed() });
const summaryView = new SummaryView($("panel-summary"), {
  reveal: (index) => revealIn(summaryView.tree, index), failed: complain, changed: () => address.changed(),
  list: (text) => {
    chooseTab("tree");
    app.ready = finder.start(text);
  },
});
const compareView = new CompareView($("panel-compare"), {
  openSecond: () => chooseFile("second"), openFirst: () => chooseFile("first"),
  reveal: (side, index) => revealIn(side === "A" ? app.tree : app.secondTree, index),
  failed: complain, changed: () => address.changed(),
});

/** Shows a node of one of the trees in the tree view. */
async function revealIn(tree, index) {
  try {
    if (tree !== treeView.tree) await showTree(tree, { keepCompared: true });
    chooseTab("tree");
    await treeView.reveal(index);
    $("tree").focus();
  } catch (error) {
    complain(error);
  }
}

function chooseTab(name) {
  app.tab = name;
  for (const each of TABS) {
    $(`tab-${each}`).setAttribute("aria-selected", String(each === name));
    $(`tab-${each}`).tabIndex = each === name ? 0 : -1;
    $(`panel-${each}`).hidden = each !== name || !app.recording;
  }
  $("welcome").hidden = Boolean(app.recording);
  if (!app.recording) return;
  if (name === "summary" && summaryView.tree !== treeView.tree) {
    summaryView.tree = treeView.tree;
    summaryView.show(treeView.tree);
  }
  if (name === "flame" && treeView.tree) {
    if (flameView.tree !== treeView.tree) flameView.show(treeView.tree);
    else flameView.draw();
  }
  if (name === "tree") treeView.draw();
  address.changed();
}

/** Shows a tree; the first recording stays A when a tree of B is shown. */
async function showTree(tree, { keepCompared = false } = {}) {
  if (!keepCompared) app.tree = tree;
  $("file-name").textContent = tree.name;
  $("file-name").title = tree.recording.meta.fen;
  document.title = `${tree.name} – Espalier tree viewer`;
  $("iteration").replaceChildren(...tree.recording.trees.map((each, k) =>
    make("option", { value: k, selected: each === tree }, `${each.summary.iteration}${each.summary.complete ? "" : " (stopped)"}`)));
  $("iteration-label").hidden = false;
  $("tree-legend").replaceChildren(colourLegend(tree.recording));
  chooseTab(app.tab); // panels must be visible before they are measured
  await treeView.show(tree);
  summaryView.tree = null;
  chooseTab(app.tab);
}

async function showComparison() {
  if (!app.recording) return;
  if (!app.second) return compareView.empty(app.recording);
  app.secondTree = app.second.tree(app.tree.summary.iteration) || app.second.favourite;
  await compareView.show(app.tree, app.secondTree);
}

/** Verifies the open recordings in the background, and reports damage. */
async function checkAll() {
  const turn = ++app.checks;
  const say = (text) => {
    if (turn === app.checks) $("checked").textContent = text;
    return turn === app.checks;
  };
  try {
    for (const recording of [app.recording, app.second]) {
      if (!recording || recording.checked) continue;
      if (!(await checkRecording(recording, say))) return;
      recording.checked = true;
    }
    say("as written");
  } catch (error) {
    if (say("damaged")) complain(error);
  }
}

/** Opens a source as the first or second recording. */
async function openSource(source, place) {
  $("message").hidden = true;
  const before = app.recording && app.tree;
  try {
    const recording = await Recording.open(source);
    if (place === "second") {
      app.second = recording;
      await showComparison();
      chooseTab("compare");
    } else {
      app.recording = recording;
      await showTree(recording.favourite);
      await showComparison();
      if (app.tab === "tree") $("tree").focus({ preventScroll: true });
    }
    if (app.begun) await showAddress();
    checkAll();
  } catch (error) {
    if (place !== "second") await goBack(before);
    complain(error);
  }
}

/** After a recording failed to open, shows the previous one, or none. */
async function goBack(tree) {
  app.recording = tree ? tree.recording : null;
  if (tree) return showTree(tree).catch(complain);
  treeView.clear();
  app.checks++;
  $("file-name").textContent = $("checked").textContent = "";
  $("iteration-label").hidden = true;
  chooseTab("tree");
}

function chooseFile(place) {
  const input = $("open-input");
  input.dataset.place = place;
  input.value = "";
  input.click();
}

function setFilters(names) {
  for (const name of FILTERS) {
    $(`filter-${name}`).checked = names.includes(name);
    treeView.filters[name] = names.includes(name);
  }
  const count = names.filter((name) => FILTERS.includes(name)).length;
  $("filter-count").textContent = count ? ` (${count})` : "";
  treeView.list();
}

function setSort(name) {
  $("sort").value = treeView.sort = name;
  treeView.list();
}

function setPov(name) {
  if (settings.pov === name) return;
  $("pov").value = settings.pov = name;
  if (!treeView.root) return;
  treeView.list();
  detail.show(treeView.selected);
  summaryView.tree = null;
  chooseTab(app.tab);
  app.ready = treeView.run(showComparison);
}

/** The share of the page for the tree, in percent; 0 for the default. */
function setSplit(percent) {
  app.split = percent ? Math.max(25, Math.min(80, Math.round(percent))) : 0;
  if (app.split) $("panel-tree").style.setProperty("--left", `${app.split}%`);
  else $("panel-tree").style.removeProperty("--left");
  $("splitter").setAttribute("aria-valuenow", String(app.split || 60));
  treeView.draw();
}

function wireSplitter() {
  const splitter = $("splitter");
  const share = (x) => (100 * x) / innerWidth;
  splitter.addEventListener("pointerdown", (event) => splitter.setPointerCapture(event.pointerId));
  splitter.addEventListener("pointermove", (event) => splitter.hasPointerCapture(event.pointerId) && setSplit(share(event.clientX)));
  splitter.addEventListener("pointerup", () => address.changed());
  splitter.addEventListener("dblclick", () => setSplit(0));
  splitter.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (!step) return;
    event.preventDefault();
    setSplit(share(splitter.getBoundingClientRect().left) + step);
    address.changed();
  });
}

/** Opens chosen or dropped files: one, or two to compare. */
function openFiles(files, place) {
  const sources = [...files].slice(0, 2).map((file) => sourceOfBlob(file, file.name));
  app.ready = (async () => {
    if (sources.length === 2) {
      await openSource(sources[0], "first");
      if (app.recording) await openSource(sources[1], "second");
    } else if (sources.length === 1) await openSource(sources[0], place);
  })();
}

/** Keyboard shortcuts by view. */
const KEYS = [
  ["Everywhere", [["?", "these keys"], ["/", "find a move or a reason"], ["1 2 3 4", "tree, flame chart, summary, compare"]]],
  ["Tree", [["↓ ↑", "next and previous row"], ["→ ←", "open, or go in; close, or go to the parent"], ["Enter", "open or close"], ["b", "to the best move"],
    ["n N", "next and previous hit"], ["Home End", "first and last row"], ["Page ↓ ↑", "a page down or up"]]],
  ["Flame chart", [["wheel, + −", "zoom"], ["drag, a d", "move"], ["arrows", "choose a neighbour"], ["Enter", "fill the width with it"], ["Space", "show it in the tree"], ["0", "show everything"]]],
  ["Map", [["arrows", "choose"], ["Enter", "go in, one level"], ["Backspace", "go out"], ["Space", "show it in the tree"]]],
];

function wireKeys() {
  const list = ([title, keys]) => make("section", {}, make("h3", {}, title),
    make("dl", {}, ...keys.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)])));
  $("keys").querySelector(".keys").append(...KEYS.map(list));
  $("help").addEventListener("click", () => $("keys").showModal());
  document.addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.altKey || event.metaKey || $("keys").open) return;
    const actions = {
      "?": () => $("keys").showModal(),
      "/": () => {
        chooseTab("tree");
        $("find").focus();
      },
      n: () => (app.ready = finder.find(1)), N: () => (app.ready = finder.find(-1)),
    };
    TABS.forEach((name, k) => (actions[k + 1] = () => chooseTab(name)));
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
}

function wire() {
  for (const name of TABS) {
    $(`tab-${name}`).addEventListener("click", () => chooseTab(name));
  }
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
    if (!step) return;
    chooseTab(TABS[(TABS.indexOf(app.tab) + step) % TABS.length]);
    $(`tab-${app.tab}`).focus();
  });
  $("open").addEventListener("click", () => chooseFile("first"));
  $("welcome-open").addEventListener("click", () => chooseFile("first"));
  $("open-input").addEventListener("change", (event) => openFiles(event.target.files, event.target.dataset.place || "first"));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const slot = event.target.closest && event.target.closest("[data-slot]");
    const place = slot ? slot.dataset.slot : app.tab === "compare" && app.recording ? "second" : "first";
    openFiles(event.dataTransfer.files, place);
  });
  $("iteration").addEventListener("change", (event) => {
    const tree = treeView.tree.recording.trees[Number(event.target.value)];
    app.ready = treeView.run(async () => {
      await showTree(tree, { keepCompared: tree.recording !== app.recording });
      await showComparison();
    });
  });
  $("pov").addEventListener("change", (event) => {
    setPov(event.target.value);
    address.changed();
  });
  $("sort").addEventListener("change", (event) => {
    setSort(event.target.value);
    treeView.scrollTo(treeView.selected);
    address.changed();
  });
  for (const name of FILTERS) {
    $(`filter-${name}`).addEventListener("change", () => {
      setFilters(FILTERS.filter((each) => $(`filter-${each}`).checked));
      if (!treeView.rows.includes(treeView.selected)) treeView.select(treeView.rows[Math.min(1, treeView.rows.length - 1)]);
      address.changed();
    });
  }
  wireSplitter();
  wireKeys();
  const words = [...LEGEND.ends, ...LEGEND.purposes.slice(5), ...LEGEND.changes.slice(1), ...LEGEND.marks];
  $("reasons").append(...words.map((word) => make("option", { value: word.label })));
}

/** Restores the address the page was opened with, once there is a recording. */
async function showAddress() {
  const waits = app.wanted.length > 1 && !app.second && location.hash.length > 1; // waits for the second of two recordings
  if (!app.recording || app.addressed || waits) return;
  app.addressed = true;
  if (location.hash.length > 1) await address.apply(location.hash);
  else address.known = true;
}

/** Opens embedded recordings, and asks for those that are too large. */
async function begin() {
  wire();
  chooseTab("tree");
  const wanted = [...document.querySelectorAll("script.wanted")].map((element) => element.dataset);
  app.wanted = wanted;
  if (wanted.length) {
    const names = wanted.map((each) => `${each.name} (${grouped(each.size)} bytes)`).join(" and ");
    $("welcome-text").textContent = `This page was made for ${names}, too large to be part of it. Open ${wanted.length > 1 ? "both files at once" : "the file"} here: the page reads only what it shows.`;
  } else $("welcome-text").textContent = "See every node of a search: what was decided there, by which method, and why it ended.";
  const places = ["first", "second"];
  for (const element of document.querySelectorAll("script.embedded")) {
    const source = sourceOfText(element.textContent, element.dataset.name);
    element.textContent = "";
    await openSource(source, app.recording ? places[1] : places[0]);
  }
  app.begun = true;
  if (app.second) chooseTab("compare");
  await showAddress();
}

app.ready = begin().catch(complain);
