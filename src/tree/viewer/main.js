// The page as a whole: files come in, views come up, and whatever goes wrong is said.

const settings = { pov: "white" };
const $ = (id) => document.getElementById(id);

const app = {
  recording: null,
  second: null,
  tree: null,
  tab: "tree",
  ready: null, // what is being done; the tests wait for it
  checks: 0, // how often a check has begun; a later one ends those before
};

function complain(error) {
  const known = error instanceof Trouble;
  if (!known) console.error(error);
  const text = known ? error.message : `Something is wrong with this page: ${error.message}`;
  $("message").replaceChildren(make("span", {}, text), make("button", { "aria-label": "Dismiss", onclick: () => ($("message").hidden = true) }, "×"));
  $("message").hidden = false;
}

const treeView = new TreeView($("tree"), {
  selected: (row) => detail.show(row),
  hovered: (row) => detail.hover(row),
  failed: complain,
  unfiltered: clearFilters,
});
const detail = new Detail({ board: $("board"), fen: $("fen"), copy: $("copy"), line: $("line"), facts: $("facts"), path: $("path") }, treeView);
const finder = new Finder(treeView, { input: $("find"), status: $("find-status"), next: $("find-next"), previous: $("find-previous") });
const summaryView = new SummaryView($("panel-summary"), {
  reveal: (index) => revealIn(app.tree, index), failed: complain,
});
const compareView = new CompareView($("panel-compare"), {
  openSecond: () => chooseFile("second"),
  reveal: (side, index) => revealIn(side === "A" ? app.tree : app.secondTree, index),
  failed: complain,
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
  for (const each of ["tree", "summary", "compare"]) {
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
  if (name === "tree") treeView.draw();
}

/** Shows a tree; the one opened first stays A when a tree of B is only looked at. */
async function showTree(tree, { keepCompared = false } = {}) {
  if (!keepCompared) app.tree = tree;
  $("file-name").textContent = tree.name;
  $("file-name").title = tree.recording.meta.fen;
  document.title = `${tree.name} – Espalier tree viewer`;
  $("iteration").replaceChildren(...tree.recording.trees.map((each, k) =>
    make("option", { value: k, selected: each === tree }, `${each.summary.iteration}${each.summary.complete ? "" : " (stopped)"}`)));
  $("iteration-label").hidden = false;
  chooseTab(app.tab); // the panels must be there before they are measured
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

/** Reads the open recordings to their ends while the person looks at them, and says if one is damaged. */
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

/** Opens a source as the first or the second recording. */
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
    checkAll();
  } catch (error) {
    if (place !== "second") await goBack(before);
    complain(error);
  }
}

/** A recording could not be shown: the one before it is, or none. */
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

function clearFilters() {
  for (const name of ["quiescence", "hash", "changes", "again"]) {
    $(`filter-${name}`).checked = false;
    treeView.filters[name] = false;
  }
}

function wire() {
  for (const name of ["tree", "summary", "compare"]) {
    $(`tab-${name}`).addEventListener("click", () => chooseTab(name));
  }
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const names = ["tree", "summary", "compare"];
    const step = { ArrowRight: 1, ArrowLeft: 2 }[event.key];
    if (!step) return;
    chooseTab(names[(names.indexOf(app.tab) + step) % 3]);
    $(`tab-${app.tab}`).focus();
  });
  $("open").addEventListener("click", () => chooseFile("first"));
  $("welcome-open").addEventListener("click", () => chooseFile("first"));
  $("open-input").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) app.ready = openSource(sourceOfBlob(file, file.name), event.target.dataset.place || "first");
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    const place = app.tab === "compare" && app.recording ? "second" : "first";
    if (file) app.ready = openSource(sourceOfBlob(file, file.name), place);
  });
  $("iteration").addEventListener("change", (event) => {
    const tree = treeView.tree.recording.trees[Number(event.target.value)];
    app.ready = treeView.run(async () => {
      await showTree(tree, { keepCompared: tree.recording !== app.recording });
      await showComparison();
    });
  });
  $("pov").addEventListener("change", (event) => {
    settings.pov = event.target.value;
    if (!treeView.root) return;
    treeView.draw();
    detail.show(treeView.selected);
    summaryView.tree = null;
    chooseTab(app.tab);
    app.ready = treeView.run(showComparison);
  });
  $("sort").addEventListener("change", (event) => {
    treeView.sort = event.target.value;
    treeView.list();
    treeView.scrollTo(treeView.selected);
  });
  for (const name of ["quiescence", "hash", "changes", "again"]) {
    $(`filter-${name}`).addEventListener("change", (event) => {
      treeView.filters[name] = event.target.checked;
      treeView.list();
      if (!treeView.rows.includes(treeView.selected)) treeView.select(treeView.rows[Math.min(1, treeView.rows.length - 1)]);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    chooseTab("tree");
    $("find").focus();
  });
  const words = [...LEGEND.ends, ...LEGEND.purposes.slice(5), ...LEGEND.changes.slice(1), ...LEGEND.marks];
  $("reasons").append(...words.map((word) => make("option", { value: word.label })));
}

/** Recordings that came with the page; those too large for it are asked for. */
async function begin() {
  wire();
  chooseTab("tree");
  const wanted = [...document.querySelectorAll("script.wanted")].map((element) => element.dataset);
  if (wanted.length) {
    const names = wanted.map((each) => `${each.name} (${grouped(each.size)} bytes)`).join(" and ");
    $("welcome-text").textContent = `This page was made for ${names}, which is too large to be part of it. Open the file here: the page reads only what it shows.`;
  } else $("welcome-text").textContent = "See every node of a search: what was decided there, by which method, and why it ended.";
  const places = ["first", "second"];
  for (const element of document.querySelectorAll("script.embedded")) {
    const source = sourceOfText(element.textContent, element.dataset.name);
    element.textContent = "";
    await openSource(source, app.recording ? places[1] : places[0]);
  }
  if (app.second) chooseTab("compare");
}

app.ready = begin().catch(complain);
