import { expect, test } from "vitest";
import type { MoveView } from "../api.ts";
import { placeMoves } from "./key-moves.ts";
import type { PathStep } from "./path-steps.ts";

function part(name: string, review: object | null): object {
  return { name, review, parts: [] };
}

/** A path of one step and one `each`; the keys named wait for a person, the others stand. */
function pathWith(waiting: readonly string[], standing: readonly string[]): readonly PathStep[] {
  const parts = [...waiting.map((name) => part(name, {})), ...standing.map((name) => part(name, null))];
  return [
    { name: "book", parts: [] },
    { name: "lines", parts },
  ] as unknown as readonly PathStep[];
}

const moves = [
  { move: "resume", step: null },
  { move: "redo", step: "book" },
  ...["a", "b", "c", "d"].map((key) => ({ move: "skip", step: `lines[${key}]` })),
  { move: "skip", step: "gone[a]" },
] as unknown as readonly MoveView[];

function placed(path: readonly PathStep[]): readonly (readonly unknown[])[] {
  const { beside, atKeys } = placeMoves({ moves }, path);
  return [beside.map(({ move, step }) => `${move} ${step ?? ""}`.trim()), [...atKeys.keys()]];
}

test("what acts on a key stands at the key, but where few of them wait for a person", () => {
  expect(placed(pathWith(["lines[b]"], ["lines[a]", "lines[c]", "lines[d]"]))).toEqual([
    ["resume", "redo book", "skip lines[b]", "skip gone[a]"],
    ["lines[a]", "lines[c]", "lines[d]"],
  ]);
  expect(placed(pathWith(["lines[a]", "lines[b]", "lines[c]", "lines[d]"], []))).toEqual([
    ["resume", "redo book", "skip gone[a]"],
    ["lines[a]", "lines[b]", "lines[c]", "lines[d]"],
  ]);
});

test("no move is lost: what acts on a step that is not in the path stands beside it", () => {
  expect(placed([])[0]).toHaveLength(moves.length);
});
