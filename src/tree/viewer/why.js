// Why a move was rejected or accepted, in one sentence with numbers: the refutation, the rule that left a move
// out, the bound and result of a reduced search. `tree show` says the same (src/cli/tree_why.rs).

const NONE = LEGEND.none;

/** Numbers of a node from the chosen view: White's, or the side to move's. */
class Eyes {
  constructor(whiteToMove) {
    this.flip = settings.pov === "white" && !whiteToMove;
  }

  score(raw) {
    return scoreText(this.flip && raw !== NONE ? -raw : raw);
  }

  /** `value ≥ β`, or the same from the other side. */
  atLeast(raw, beta, left = this.score(raw)) {
    return this.flip ? `${left} ≤ α ${this.score(beta)}` : `${left} ≥ β ${this.score(beta)}`;
  }

  atMost(raw, alpha, left = this.score(raw)) {
    return this.flip ? `${left} ≥ β ${this.score(alpha)}` : `${left} ≤ α ${this.score(alpha)}`;
  }

  /** `value ≥ bound`, or the same from the other side. */
  beyond(raw, asked) {
    return `${this.score(raw)} ${this.flip ? "≤" : "≥"} ${asked}`;
  }

  /** `static −1.20 + margin 0.90`; a margin for the other side is subtracted. */
  withMargin(word, raw, margin) {
    const up = (margin >= 0) !== this.flip;
    return `${word} ${this.score(raw)} ${up ? "+" : "−"} margin ${(Math.abs(margin) / 100).toFixed(2)}`;
  }
}

/** The best reply of a node and the answer to it, in SAN. */
function repliesOf(node, position) {
  const names = [];
  let here = position;
  for (const bits of node.replies) {
    const move = unpackMove(bits);
    const san = move && here.san(move);
    if (!san) break;
    names.push(san);
    here = here.play(move);
  }
  return names;
}

const dots = (position) => (position.white ? "" : "…");
const plies = (hundredths) => `${depthText(hundredths)} ${hundredths === 100 ? "ply" : "plies"}`;

/** Sentences for nodes that a rule ended, by the name of the end. */
const ENDED = {
  "cut-off": ({ node, position }, eyes) => {
    const line = repliesOf(node, position);
    // A root and a probe of the same position have no move that could be refuted.
    const what = node.bits || isPass(node) ? "refuted by" : "fails high:";
    return line.length ? `${what} ${dots(position)}${line.join(" ")} (${eyes.atLeast(node.value, node.beta)})` : null;
  },
  "reverse-futility": ({ node }, eyes) => {
    const [from, margin] = node.numbers;
    return `reverse futility: ${eyes.atLeast(0, node.beta, eyes.withMargin("static", from, -margin))}`;
  },
  "quiescence-razoring": ({ node }, eyes) => {
    const [from, margin] = node.numbers;
    return `razoring: ${eyes.atMost(0, node.beta - 1, eyes.withMargin("static", from, margin))}, quiescence ${eyes.score(node.value)}`;
  },
  "null-move-cut": ({ node }, eyes) => `null move: a pass at depth ${depthText(Math.max(0, node.numbers[1]))} gives ${eyes.atLeast(node.numbers[0], node.beta)}`,
  "null-move-verified": (row, eyes) => `${ENDED["null-move-cut"](row, eyes)}, verified ${eyes.score(row.node.value)}`,
  probcut: ({ node }, eyes) => `ProbCut: depth ${depthText(node.numbers[2])} gives ${eyes.score(node.numbers[1])}, asked for ${eyes.score(node.numbers[0])}`,
  "capture-cut": ({ node }, eyes) => `ProbCut by a capture: ${eyes.beyond(node.numbers[1], eyes.score(node.numbers[0]))}${eyes.atLeast(0, node.beta, "")}, depth ${depthText(Math.max(0, node.numbers[2]))}`,
  "multi-cut": ({ node }, eyes) => `multi-cut: ${node.numbers[0]} of ${node.numbers[1]} moves reach ${eyes.flip ? "α" : "β"} ${eyes.score(node.beta)} at depth ${depthText(node.numbers[2])}`,
  "singular-cut": ({ node }, eyes) => `others cut too: ${eyes.beyond(node.numbers[1], `${eyes.score(node.numbers[0])} (hash ${eyes.score(node.numbers[2])})`)}${eyes.atLeast(0, node.beta, "")}`,
  "check-cut": ({ node }, eyes) => `in check, a capture of the hash table is worth ${eyes.atLeast(node.numbers[0], node.beta)}`,
  hash: ({ node }, eyes) => `hash: ${node.bound === "exact" ? eyes.score(node.value) : node.bound === "lower" ? eyes.atLeast(node.value, node.beta) : eyes.atMost(node.value, node.alpha)}${node.kind.name === "Q" ? "" : `, searched to depth ${depthText(node.numbers[0])}`}`,
};

/** Sentences that need no numbers of version 3. */
const PLAIN = {
  "stand-pat": ({ node }, eyes) => (node.eval === NONE ? null : `stands pat: static ${eyes.atLeast(node.value, node.beta)}`),
};

/** The sentence for a node without a cut-off: the best move, or the nearest to alpha. */
function movesWhy({ node, position }, eyes) {
  const line = repliesOf(node, position);
  if (!line.length) return null;
  if (node.bound === "exact") return `best ${dots(position)}${line.join(" ")} (${eyes.score(node.value)} in ${windowText(seen(node, position.white).window)})`;
  if (node.bound !== "upper") return null;
  return `nothing reaches ${eyes.flip ? "β" : "α"} ${eyes.score(node.alpha)}; nearest ${dots(position)}${line[0]} ${eyes.score(node.value)}`;
}

/** The marks of a node whose methods leave out moves. */
const leavingOut = (node) => marksOf(node).filter((mark) => mark.leavesOut);

/** The names of the rules of some marks, each once: related methods share a rule. */
const rulesOf = (marks) => [...new Set(marks.map((mark) => mark.leavesOut.rule))];

/** The rules that left out moves of a node, by name. */
const leftOutRules = (node) => rulesOf(leavingOut(node));

/** The condition that a rule found true; `by` is the meaning of its number. */
function ruleText(node, eyes, { by }, number) {
  const other = {
    "quiet-count": () => `quiet moves after the first ${number}`,
    count: () => `after ${number} ${number === 1 ? "move" : "moves"}`,
    history: () => `below about ${hundreds(number * LEGEND.historyStep)}`,
    exchange: () => `wins less than ${(number / 100).toFixed(2).replace("-", "−")}`,
  }[by];
  if (other) return other();
  const sum = node.eval === NONE ? eyes.score(number) : eyes.withMargin("static", node.eval, number - node.eval);
  return number > node.alpha ? `${sum} ${eyes.flip ? "≥" : "≤"} best so far` : eyes.atMost(number, node.alpha, sum);
}

/** A number rounded to hundreds. */
function hundreds(number) {
  const rounded = Math.floor((Math.abs(number) + 50) / 100) * 100;
  return `${number < 0 && rounded > 0 ? "−" : ""}${rounded}`;
}

/** Why a move was left out: the rule and its number or, if the recording does not say, all rules of the node that
 * leave out such moves. */
function leftOutWhy(node, position, move, kept) {
  const { name, mark } = leftOutRule(node, position, move, kept);
  if (!mark) return / or /.test(name) ? `${name} (which one is not kept)` : name;
  if (!mark.leavesOut) return name;
  return kept.number === NONE ? `${name} (number not kept)` : `${name}: ${ruleText(node, new Eyes(position.white), mark.leavesOut, kept.number)}`;
}

/** The rule that left a move out: its name, and its mark if the recording has it. */
function leftOutRule(node, position, move, kept) {
  const mark = kept && marksOf(node).find((each) => each.code === 1 << kept.rule);
  if (mark) return { name: mark.leavesOut ? mark.leavesOut.rule : mark.label, mark };
  const noisy = move.promotion ? move.promotion === "Q" : position.isCapture(move);
  const fitting = leavingOut(node).filter((each) => !(noisy && each.leavesOut.sparesCaptures));
  return { name: rulesOf(fitting).join(" or ") || node.end.label, mark: null };
}

/** The bound and result of a singular test; `tested` is the probe without the hash move. */
function singularText(tested, eyes) {
  const [known] = tested.numbers;
  const margin = known === NONE ? "" : ` = hash ${eyes.score(known)} ${eyes.flip ? "+" : "−"} margin ${((known - tested.beta) / 100).toFixed(2)}`;
  const below = tested.value < tested.beta;
  const sign = below ? (eyes.flip ? ">" : "<") : eyes.flip ? "≤" : "≥";
  return `others ${eyes.score(tested.value)} ${sign} ${eyes.score(tested.beta)}${margin}`;
}

/** How the depth of a move was changed, and the result. */
function depthWhy(row, eyes) {
  const { node } = row;
  if (node.purpose.name === "singular-probe") return `${singularText(node, eyes)}${node.value < node.beta ? ": singular" : ": not singular"}`;
  if (node.change.code === 0) return null;
  const label = node.change.name === "lmr" ? "LMR" : node.change.label;
  const size = `${node.by > 0 ? "−" : "+"}${(Math.abs(node.by) / 100).toFixed(2)}`;
  if (/singular/.test(node.change.name)) {
    const probe = row.parent && (row.parent.children || []).filter((each) => each.node.purpose.name === "singular-probe").pop();
    const tested = probe && node.change.name !== "multi-cut-extension" ? ` (${singularText(probe.node, new Eyes(probe.position.white))})` : "";
    return `${label} ${size}${tested}`;
  }
  if (node.by > 0 && node.value !== NONE) {
    const surprised = node.bound === "upper";
    const back = surprised ? eyes.atMost(node.value, node.alpha) : eyes.atLeast(node.value, node.beta);
    const again = row.parent && (row.parent.children || []).some((each) => each.node.index === node.index + 1 && isAgain(each.node));
    return `${label} ${size}: depth ${depthText(node.depth)} of ${depthText(node.depth + node.by)} gives ${back}${surprised ? again ? ", searched again" : ", surprised" : ""}`;
  }
  const classes = LEGEND.classes.filter((_, bit) => (node.classes >> bit) & 1);
  return `${label} ${size}${classes.length ? ` (${classes.join(", ")})` : ""}`;
}

/** The sentence why the node ended. */
function endWhy(row) {
  const { node, position } = row;
  if (node.index === 0) return "";
  if (row.leftOut) return row.leftOut;
  const eyes = new Eyes(position.white);
  const sentence = (ENDED[node.end.name] && node.numbers && (node.end.name === "cut-off" || node.numbers[0] !== NONE) && ENDED[node.end.name](row, eyes)) ||
    (PLAIN[node.end.name] && PLAIN[node.end.name](row, eyes));
  if (sentence) return sentence;
  const moves = node.end.when || /^(all-moves|quiet)$/.test(node.end.name) ? movesWhy(row, eyes) : null;
  return moves || node.end.label;
}

/** Other decisions about a node, as tags. */
function tagsOf(row) {
  const { node } = row;
  const tags = [];
  if (row.leftOut) return tags;
  if (!/^(move|root|iteration)$/.test(node.purpose.name)) tags.push(node.purpose.label);
  const depth = depthWhy(row, new Eyes(row.position.white));
  if (depth) tags.push(depth);
  // If leaving out moves ended the node, these marks are part of the sentence.
  const said = (mark) => mark.label === node.end.label || (node.end.when && /-out$|-moves$|^gave-up$/.test(mark.name));
  for (const mark of marksOf(node)) if (!said(mark)) tags.push(mark.label);
  return node.end.when ? [...tags, `left out by ${leftOutRules(node).join(", ")}`] : tags;
}

/** Sentence and tags as one text. */
const whyText = (row) => [endWhy(row), ...tagsOf(row)].filter(Boolean).join("; ");

/** The line that refutes the move of a row, as moves for the board. */
function refutation(row) {
  if (row.leftOut || row.node.end.name !== "cut-off") return [];
  return row.node.replies.map(unpackMove).filter(Boolean);
}
