// `npm run verify`: puts every design of the claim protocol before spin, prints what it answered, and ends with code 1
// when an answer is not the expected one.
//   npm run verify -- --only lookup        the designs with that word in their name
//   npm run verify -- --quick              those that are part of `npm test`
//   npm run verify -- --tell "no key"      the shortest way to the fault of a broken design, in words
//   npm run verify -- --write              also write the table into README.md
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { designs } from "./designs.mjs";
import { ask, findTools, tellFault } from "./spin.mjs";

/** @typedef {import("./spin.mjs").Answer} Answer */
/** @typedef {import("./spin.mjs").Tools} Tools */
/** @typedef {import("./designs.mjs").Design} Design */

/** Runs at the same time; each takes a core and up to a gigabyte. */
const runsAtOnceMax = 2;
const readmePath = fileURLToPath(new URL("README.md", import.meta.url));
const tableStart = "<!-- written by npm run verify -- --write -->";
const tableEnd = "<!-- end of the table -->";

/**
 * Puts designs before spin, two at a time.
 *
 * @param {Tools} tools
 * @param {readonly Design[]} wanted
 * @param {(answer: Answer) => void} onAnswer
 * @returns {Promise<readonly Answer[]>} in the order of `wanted`
 */
export async function askAll(tools, wanted, onAnswer) {
  const folder = await mkdtemp(join(tmpdir(), "foothold-verify-"));
  /** @type {Map<Design, Answer>} */
  const answers = new Map();
  const queue = [...wanted.entries()];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, design] = next;
      const answer = await ask(tools, design, join(folder, String(index)));
      answers.set(design, answer);
      onAnswer(answer);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(runsAtOnceMax, availableParallelism()) }, work));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return wanted.flatMap((design) => answers.get(design) ?? []);
}

/** @param {Answer} answer */
function isExpected({ design, result }) {
  return design.expects === result;
}

/** @param {Design} design */
function askedIn({ asks }) {
  if (asks === "settles") return "settles";
  if (asks.length === 0) return "all";
  return asks
    .map((name) =>
      name
        .replace(/^-(.*)/, "all but $1")
        .toLowerCase()
        .replaceAll("_", " "),
    )
    .join(", ");
}

/** @param {Answer} answer */
function lineOf(answer) {
  const { design, result, states, seconds } = answer;
  const verdict = isExpected(answer) ? result : `${result.toUpperCase()}, EXPECTED: ${design.expects}`;
  const columns = [
    design.name.padEnd(50),
    askedIn(design).padEnd(30),
    verdict.padEnd(8),
    String(states).padStart(9),
  ];
  return `${columns.join("  ")}  ${seconds.toFixed(1).padStart(5)} s`;
}

/**
 * The answers as a table, laid out as `npm run format` would.
 *
 * @param {readonly Answer[]} answers
 */
function tableOf(answers) {
  const rows = answers.map(({ design, result, states }) => {
    const answer = design.isLimit === true ? `${result} (a limit)` : result;
    return [design.name, askedIn(design), answer, states.toLocaleString("en-US")];
  });
  const lines = [["design", "asked", "answer", "states"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const [head = "", ...body] = lines.map((line) => {
    const cells = line.map((cell, column) =>
      column === 3 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    return `| ${cells.join(" | ")} |`;
  });
  const rules = widths.map((width, column) =>
    column === 3 ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  return [head, `| ${rules.join(" | ")} |`, ...body].join("\n");
}

/** @param {readonly Answer[]} answers */
async function writeTable(answers) {
  const readme = await readFile(readmePath, "utf8");
  const [before, after] = [readme.indexOf(tableStart), readme.indexOf(tableEnd)];
  if (before < 0 || after < before) throw new Error("README.md has no place for the table");
  const head = readme.slice(0, before + tableStart.length);
  await writeFile(readmePath, `${head}\n\n${tableOf(answers)}\n\n${readme.slice(after)}`);
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      tell: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const tools = findTools();
  if (tools.kind === "missing") {
    console.log(`verify: skipped, nothing was verified: ${tools.why}`);
    return;
  }
  const { tell, only } = values;
  const wanted = designs.filter(
    ({ name, isQuick }) =>
      (tell === undefined || name === tell) &&
      (only === undefined || name.includes(only)) &&
      (!values.quick || isQuick === true),
  );
  if (wanted.length === 0) throw new Error("no design has that name; they stand in verify/designs.mjs");
  if (tell !== undefined) {
    const folder = await mkdtemp(join(tmpdir(), "foothold-verify-"));
    for (const design of wanted)
      console.log((await tellFault(tools, design, join(folder, "told"))).join("\n"));
    await rm(folder, { recursive: true, force: true });
    return;
  }
  const startedAt = performance.now();
  const answers = await askAll(tools, wanted, (answer) => console.log(lineOf(answer)));
  const wrong = answers.filter((answer) => !isExpected(answer));
  for (const { design, why } of wrong) console.log(`\n${design.name}:\n${why}`);
  const counted = answers.filter(({ result }) => result === "holds").length;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `verify: ${answers.length} designs, ${counted} hold, ${answers.length - counted} broken, ` +
      `${wrong.length} not as expected, ${seconds} s`,
  );
  if (values.write && wrong.length === 0) await writeTable(answers);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
