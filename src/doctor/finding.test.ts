import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { byWeight, finding, FINDING_SEVERITIES } from "./finding.ts";

const page = readFileSync(new URL("../../docs/reference/doctor.md", import.meta.url), "utf8");

test("the page of findings names every code with its weight, and no other", () => {
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (error|warning|info) +\|/gm)].map(
    ([, code, weight]) => [code, weight],
  );
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(FINDING_SEVERITIES));
  expect(rows).toHaveLength(FINDING_SEVERITIES.size);
});

test("findings are told with the weightiest first", () => {
  const said = { sentence: "", remedy: "" };
  const found = byWeight([
    finding("PING_MISSING", {}, said),
    finding("HIDDEN_RETRY", { step: "a" }, said),
    finding("FSYNC_OFF", {}, said),
    finding("HIDDEN_RETRY", { step: "b" }, said),
  ]);
  expect(found.map(({ code, step }) => [code, step])).toEqual([
    ["FSYNC_OFF", null],
    ["HIDDEN_RETRY", "a"],
    ["HIDDEN_RETRY", "b"],
    ["PING_MISSING", null],
  ]);
});
