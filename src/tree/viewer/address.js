// The state of the page is kept in the address, so that links and the browser's back and forward work.

const FILTERS = ["quiescence", "hash", "changes", "again", "omitted"];

const address = {
  quiet: 0, // number of states being applied; the address is not written meanwhile
  timer: null,

  /** The current state as a short address. */
  state() {
    const state = {};
    if (app.tab !== "tree") state.tab = app.tab;
    const { tree, selected } = treeView;
    if (tree) {
      if (tree.recording === app.second) state.of = "B";
      if (tree !== tree.recording.favourite) state.iteration = tree.summary.iteration;
      if (selected) state.node = selected.node.index;
    }
    if (settings.pov !== "white") state.pov = settings.pov;
    if (treeView.sort !== "order") state.sort = treeView.sort;
    const hidden = FILTERS.filter((name) => treeView.filters[name]);
    if (hidden.length) state.filter = hidden.join(",");
    if (finder.text) state.find = finder.text;
    if (app.split) state.split = app.split;
    if (app.tab === "summary" && summaryView.map) Object.assign(state, summaryView.map.state());
    if (app.tab === "flame") Object.assign(state, flameView.state());
    if (app.tab === "compare") Object.assign(state, compareView.state());
    return state;
  },

  text() {
    const pairs = Object.entries(this.state()).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    return `#${pairs.join("&")}`;
  },

  /** Records a change; adds a history entry after a short pause. */
  changed() {
    if (this.quiet || !app.recording || !app.addressed) return; // the address the page was opened with comes first
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 250);
  },

  write() {
    clearTimeout(this.timer);
    const text = this.text();
    if (text === location.hash || (text === "#" && !location.hash)) return;
    try {
      if (this.known) history.pushState(null, "", text);
      else history.replaceState(null, "", text); // the initial state is no history entry
    } catch {
      // Some browsers have no history for pages opened from disk.
    }
    this.known = true;
  },

  link() {
    return location.href.replace(/#.*$/, "") + this.text();
  },

  /** Restores the state of an address; everything it does not mention is reset. */
  async apply(text) {
    if (!app.recording) return;
    const wanted = Object.fromEntries(new URLSearchParams(text.replace(/^#/, "")));
    this.quiet++;
    try {
      setPov(wanted.pov === "mover" ? "mover" : "white");
      setSort(["size", "value"].includes(wanted.sort) ? wanted.sort : "order");
      setFilters((wanted.filter || "").split(","));
      setSplit(Number(wanted.split) || 0);
      const recording = wanted.of === "B" && app.second ? app.second : app.recording;
      const tree = (wanted.iteration && recording.tree(Number(wanted.iteration))) || recording.favourite;
      if (tree !== treeView.tree) await showTree(tree, { keepCompared: recording !== app.recording });
      const node = Number(wanted.node);
      if (Number.isInteger(node) && node >= 0 && node < tree.summary.records && wanted.node !== undefined) await treeView.reveal(node);
      const usual = app.second && text.length < 2 ? "compare" : "tree";
      chooseTab(TABS.includes(wanted.tab) ? wanted.tab : usual);
      if ((wanted.find || "") !== finder.text) await finder.start(wanted.find || "", { stay: true });
      if (wanted.tab === "summary" && summaryView.map) await summaryView.map.apply(wanted);
      if (wanted.tab === "flame") await flameView.apply(wanted);
      if (wanted.tab === "compare") await compareView.apply(wanted);
    } catch (error) {
      complain(error);
    } finally {
      this.quiet--;
      this.known = true;
    }
  },
};

window.addEventListener("popstate", () => {
  clearTimeout(address.timer);
  app.ready = address.apply(location.hash);
});
