import { expect, test } from "vitest";
import type { CaseOutline, CaseView } from "../api.ts";
import { pathOf, sayParts } from "./path-steps.ts";

type Standing = CaseView["steps"][number]["standing"];

const outlined = [
  { kind: "step", name: "book", after: [], destination: { name: "erp" } },
  { kind: "each", name: "lines", after: ["book"], item: { destination: { name: "erp" } } },
  {
    kind: "each",
    name: "parcels",
    after: ["lines"],
    item: { destination: { name: "foothold-cases" }, child: { act: "start", caseType: "parcel" } },
  },
];
const outline = { steps: outlined } as unknown as CaseOutline;

/** A case of which these steps are known; those in `reviewed` wait for a person. */
function viewOf(steps: Readonly<Record<string, Standing>>, reviewed: readonly string[] = []): CaseView {
  const known = Object.entries(steps).map(([step, standing]) => ({
    step,
    standing,
    nextCheckAllowedAt: null,
  }));
  const view = {
    storedState: "waiting",
    plan: null,
    holding: null,
    foothold: [],
    waits: [],
    attempts: [],
    children: [],
    steps: known,
    reviews: reviewed.map((step) => ({ step })),
    confirmed: known.filter(({ standing }) => standing === "stands").map(({ step }) => ({ step })),
  };
  return view as unknown as CaseView;
}

test("the keys of an each stand below it, what waits for people first, and it stands as they do", () => {
  const view = viewOf(
    { book: "stands", "lines[a]": "stands", "lines[b]": "open", "lines[c]": "open", gone: "open" },
    ["lines[c]"],
  );
  const path = pathOf(view, outline);
  expect(path.map(({ name, mark }) => `${name} ${mark}`)).toEqual([
    "book confirmed",
    "lines person",
    "parcels later",
    "gone later",
  ]);
  const parts = path[1]?.parts ?? [];
  expect(parts.map(({ name }) => name)).toEqual(["lines[c]", "lines[b]", "lines[a]"]);
  expect(sayParts(parts)).toBe("3 keys: 1 waits for a person, 1 later, 1 confirmed");
});

test("a key whose case waits for people stands first, as one that waits itself", () => {
  const view = viewOf({ "parcels[a]": "open", "parcels[b]": "open" });
  const child = { step: "parcels[b]", caseId: "01-b", standing: "inReview" };
  const path = pathOf({ ...view, children: [child] } as unknown as CaseView, outline);
  expect(path.at(-1)).toMatchObject({
    name: "parcels",
    mark: "person",
    parts: [
      { name: "parcels[b]", mark: "person", child: { caseId: "01-b" } },
      { name: "parcels[a]", mark: "later", child: null },
    ],
  });
});

test("an each whose keys are all confirmed is not taken for confirmed before it is itself", () => {
  const [, lines] = pathOf(viewOf({ book: "stands", "lines[a]": "stands" }), outline);
  expect(lines).toMatchObject({ mark: "later", parts: [{ mark: "confirmed" }] });
});

test("a step that starts a case names its type, not the place that cases are kept in", () => {
  const [book, , parcels] = pathOf(viewOf({}), outline);
  expect(book?.what).toBe("sends to erp");
  expect(parcels?.what).toBe("starts a case of parcel, once for each key");
  const inOrder = {
    ...outline,
    steps: outline.steps.map((step) => (step.kind === "each" ? { ...step, inOrder: true as const } : step)),
  };
  expect(pathOf(viewOf({}), inOrder)[2]?.what).toBe("starts a case of parcel, once for each key, in order");
});
