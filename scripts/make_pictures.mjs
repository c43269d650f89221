// Draws the pictures of the README. Called by make-pictures with the program, a folder to work in, and docs.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const [program, place, docs] = process.argv.slice(2).map((each) => path.resolve(each));
const { chromium } = createRequire(path.join(place, "node_modules/"))("playwright-core");
const file = (name) => path.join(place, name);
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

function record(name, ...args) {
  const arguments_ = ["tree", "record", "--fen", KIWIPETE, "--depth", "8", "--out", file(name), ...args];
  execFileSync(program, arguments_, { stdio: ["ignore", "ignore", "inherit"] });
  return file(name);
}

function view(page, ...recordings) {
  execFileSync(program, ["tree", "view", ...recordings, "--out", file(page)], { stdio: "ignore" });
  return `file://${file(page)}`;
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

async function open(url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(url);
  await page.evaluate(() => app.ready);
  return page;
}

// The tree: the expected variation opened, and what was decided at its moves.
const modern = await open(view("modern.html", record("kiwipete.tree")));
await modern.keyboard.press("Home");
for (let ply = 0; ply < 4; ply += 1) await modern.keyboard.press("b");
await modern.keyboard.press("ArrowRight");
await modern.waitForTimeout(500);
await modern.screenshot({ path: path.join(docs, "tree-viewer.png") });

// The map of a search with multi-cut.
const turk = await open(view("turk.html", record("turkmc.tree", "--set", "Preset=TurkMC")));
await turk.click("#tab-summary");
await turk.waitForTimeout(2000);
await turk.screenshot({ path: path.join(docs, "tree-summary.png") });
await browser.close();
console.log("docs/tree-viewer.png and docs/tree-summary.png are made anew");
