// The model against the code and the documentation, and its quick designs against spin.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { designs } from "./designs.mjs";
import { askAll } from "./run.mjs";
import { findTools, modelPath, propertiesOf, rulesOf } from "./spin.mjs";

const model = readFileSync(modelPath, "utf8");
const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
const root = new URL("../", import.meta.url);
const broken = designs.filter(({ expects, isLimit }) => expects === "broken" && isLimit !== true);
const tools = findTools();
const reason = tools.kind === "missing" ? ` (skipped: ${tools.why})` : "";

function partOf(text: string, heading: string): string {
  const from = text.indexOf(`## ${heading}`);
  expect(from, `README.md has a part "${heading}"`).toBeGreaterThanOrEqual(0);
  const to = text.indexOf("\n## ", from);
  return text.slice(from, to < 0 ? undefined : to);
}

interface Row {
  readonly inModel: string;
  readonly inCode: string;
  readonly path: string;
}

function rowsOf(part: string): readonly Row[] {
  const rows = part.matchAll(/^\| `(\w+)` +\| `(\w+)` +\| (\S+) +\|/gm);
  return [...rows].map(([, inModel = "", inCode = "", path = ""]) => ({ inModel, inCode, path }));
}

function names(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}

/** The kinds of journal entries, as src/core/journal.ts has them. */
function entryKinds(): readonly string[] {
  const journal = readFileSync(new URL("src/core/journal.ts", root), "utf8");
  const from = journal.indexOf("export type Entry =");
  const union = journal.slice(from, journal.indexOf("\n/**", from));
  // Only members of the union itself: two or six spaces deep, never the actors and outcomes inside them.
  return [...union.matchAll(/^(?: {2}\| \{| {6})\s*readonly kind: "(\w+)"/gm)].map(([, kind = ""]) => kind);
}

describe("the model and the code", () => {
  const rows = rowsOf(partOf(readme, "From the model to the code"));

  test("every name that the README maps is in the model and in the code", () => {
    expect(rows.length).toBeGreaterThan(25);
    const gone = rows.flatMap(({ inModel, inCode, path }) => [
      ...(names(model, inModel) ? [] : [`${inModel} is not in claim.pml`]),
      ...(existsSync(new URL(path, root)) ? [] : [`there is no ${path}`]),
      ...(existsSync(new URL(path, root)) && !names(readFileSync(new URL(path, root), "utf8"), inCode)
        ? [`${inCode} is not in ${path}`]
        : []),
    ]);
    expect(gone).toEqual([]);
  });

  test("every kind of journal entry is in the model, or said to be left out", () => {
    const kinds = entryKinds();
    expect(kinds).toContain("claimLost");
    expect(kinds.length).toBeGreaterThan(15);
    const leftOut = partOf(readme, "What is left out");
    expect(kinds.filter((kind) => !names(model, kind) && !names(leftOut, kind))).toEqual([]);
  });

  test("every verdict of the door is in the model", () => {
    const claims = readFileSync(new URL("src/core/claim.ts", root), "utf8");
    const from = claims.indexOf("export type DoorVerdict");
    const verdicts = [
      ...claims.slice(from, claims.indexOf(";", claims.indexOf("moved", from))).matchAll(/kind: "(\w+)"/g),
    ];
    expect(verdicts.length).toBeGreaterThanOrEqual(4);
    expect(verdicts.filter(([, kind = ""]) => !names(model, kind))).toEqual([]);
  });
});

describe("the designs", () => {
  test("each rule of the model is switched off in one that must break", () => {
    const off = new Set(
      broken.flatMap(({ switches }) => Object.keys(switches).filter((name) => switches[name] === 0)),
    );
    expect(rulesOf(model).length).toBeGreaterThan(15);
    expect(rulesOf(model).filter((rule) => !off.has(rule))).toEqual([]);
  });

  test("each property is broken by one of them", () => {
    const asked = new Set(broken.flatMap(({ asks }) => (asks === "settles" ? [] : asks)));
    expect([...propertiesOf(model).keys()].filter((property) => !asked.has(property))).toEqual([]);
    expect(broken.some(({ asks }) => asks === "settles")).toBe(true);
  });

  test("the README shows each with its answer, and tells how each broken one breaks", () => {
    const told = partOf(readme, "How each rule is missed").replaceAll("\n", " ");
    expect(new Set(designs.map(({ name }) => name)).size).toBe(designs.length);
    const isShown = ({ name, expects }: (typeof designs)[number]): boolean =>
      new RegExp(`^\\| ${name} +\\| [^|]+ \\| ${expects}`, "m").test(readme);
    const isTold = ({ name, expects }: (typeof designs)[number]): boolean =>
      expects === "holds" || told.includes(`**${name}.**`);
    expect(designs.filter((design) => !isShown(design)).map(({ name }) => name)).toEqual([]);
    expect(designs.filter((design) => !isTold(design)).map(({ name }) => name)).toEqual([]);
  });
});

describe(`the model before spin${reason}`, () => {
  test.skipIf(tools.kind === "missing")(
    "gives the expected answer to every quick design",
    async () => {
      if (tools.kind === "missing") return;
      const quick = designs.filter(({ isQuick }) => isQuick === true);
      const answers = await askAll(tools, quick, () => undefined);
      expect(answers.map(({ design, result, why }) => ({ name: design.name, result, why }))).toEqual(
        quick.map(({ name, expects }) => ({ name, result: expects, why: "" })),
      );
      expect(answers.filter(({ states }) => states === 0)).toEqual([]);
    },
    180_000,
  );
});
