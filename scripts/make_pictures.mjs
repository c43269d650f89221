// Draws the pictures of the README and of docs/TREE.md. Called by make-pictures with the program, a folder to work in, and docs.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const [program, place, docs] = process.argv.slice(2).map((each) => path.resolve(each));
const { chromium } = createRequire(path.join(place, "node_modules/"))("playwright-core");
const file = (name) => path.join(place, name);
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

function record(name, depth, ...args) {
  const arguments_ = ["tree", "record", "--fen", KIWIPETE, "--depth", depth, "--out", file(name), ...args];
  execFileSync(program, arguments_, { stdio: ["ignore", "ignore", "inherit"] });
  return file(name);
}

function view(page, ...recordings) {
  execFileSync(program, ["tree", "view", ...recordings, "--out", file(page)], { stdio: "ignore" });
  return `file://${file(page)}`;
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

async function open(url, height = 720) {
  const page = await browser.newPage({ viewport: { width: 1280, height } });
  await page.goto(url);
  await page.evaluate(() => app.ready);
  return page;
}

// The tree: the expected variation opened, and what was decided at its moves.
const tree = await open(view("kiwipete.html", record("kiwipete.tree", "5", "--set", "Preset=TurkMC")));
await tree.keyboard.press("Home");
for (let ply = 0; ply < 4; ply += 1) await tree.keyboard.press("b");
await tree.keyboard.press("ArrowRight");
await tree.waitForTimeout(500);
await tree.screenshot({ path: path.join(docs, "tree-viewer.png") });

// The map of a search with multi-cut.
const map = await open(`file://${file("kiwipete.html")}`);
await map.click("#tab-summary");
await map.waitForTimeout(2000);
await map.screenshot({ path: path.join(docs, "tree-summary.png") });

// The flame chart of a default search that leaves its windows.
const flame = await open(view("flame.html", record("flame.tree", "11")), 560);
await flame.click("#tab-flame");
await flame.evaluate(() => flameView.loaded);
await flame.waitForFunction(() => document.getElementById("checked").textContent === "as written");
await flame.waitForTimeout(500);
await flame.screenshot({ path: path.join(docs, "tree-flame.png") });
await browser.close();
console.log("docs/tree-viewer.png, docs/tree-summary.png and docs/tree-flame.png are made anew");
