import { afterAll, describe, expect, test } from "vitest";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination, type Destination } from "../../src/define/destination.ts";
import { EXPORT_FORMAT } from "../../src/core/exported-case.ts";
import { replay } from "../../src/testing/replay.ts";
import type { TestDestination } from "./destination.ts";
import { input, look, post, STORES, until, worldsOn, type World } from "./world.ts";

const erp = defineDestination("erp", { idempotency: { by: "lookup" } });

interface Naming {
  readonly version: number;
  readonly record: string;
  readonly formerly?: readonly string[];
  readonly approval?: string;
  readonly formerApprovals?: readonly string[];
}

/** A record, then a person, then a notification. */
function purchaseAt(destination: TestDestination, naming: Naming, to: Destination = erp): CaseType {
  const { version, record, formerly = [], approval = "approve", formerApprovals = [] } = naming;
  const asked = { to, check: look(destination) };
  return defineCase("purchase", { version, owner: "purchasing", input })
    .step(record, { ...asked, formerly, run: post(destination, "/records") })
    .approval(approval, { by: "finance", formerly: formerApprovals })
    .step("notify", { ...asked, run: post(destination, "/messages") });
}

const FIRST: Naming = { version: 1, record: "createRecord" };
const RENAMED: Naming = {
  version: 2,
  record: "book",
  formerly: ["createRecord"],
  approval: "agree",
  formerApprovals: ["approve"],
};

/** A case of the first definition that has its record and waits for the approval. */
async function waiting(world: World, destination: TestDestination): Promise<string> {
  const purchase = purchaseAt(destination, FIRST);
  const worker = await world.worker([purchase]);
  const caseId = await world.start(purchase);
  await world.rests(caseId, "waiting");
  await worker.stop({ graceMs: 1_000 });
  return caseId;
}

const ann = { by: "ann" } as const;

describe.each(STORES)("a case whose steps were given other names on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("goes on where it stood, and what it did is not done again", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    const caseId = await waiting(world, destination);
    const after = purchaseAt(destination, RENAMED);
    const diff = await world.desk(after).diffDefinitions();
    expect(diff.changes.map(({ kind: what, step, sentence }) => [what, step, sentence])).toEqual([
      ["renamed", "createRecord", expect.stringContaining("is book from now on")],
    ]);
    await world.worker([after]);
    await world.desk(after).answerApproval(caseId, { step: "agree", approved: true, ...ann });
    await world.rests(caseId, "done");
    expect(destination.effects.map(({ path }) => path)).toEqual(["/records", "/messages"]);
    expect(Object.keys((await world.state(caseId)).steps)).toEqual(["book", "agree", "notify"]);
    const packet = await world.desk(after).show(caseId);
    expect(packet.history.map(({ sentence }) => sentence)).toContainEqual(
      "Goes on under version 2 of its definition; createRecord is book from now on.",
    );
  });

  test("shows its steps to people under their new names before any worker took it, and takes what they do", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    const caseId = await waiting(world, destination);
    const desk = world.desk(purchaseAt(destination, RENAMED));
    const shown = await desk.show(caseId);
    expect(shown.steps.map(({ step, standing }) => [step, standing])).toMatchObject([
      ["book", "stands"],
      ["agree", "open"],
      ["notify", "open"],
    ]);
    await desk.redoStep(caseId, { step: "book", reason: "it was lost there", ...ann });
    expect((await world.entries(caseId)).at(-1)).toMatchObject({ kind: "redoOrdered", step: "createRecord" });
    await world.worker([purchaseAt(destination, RENAMED)]);
    const answered = { step: "agree", approved: true, ...ann };
    await until("the approval to be asked for", () =>
      desk.answerApproval(caseId, answered).then(
        () => true,
        () => false,
      ),
    );
    await world.rests(caseId, "done");
    expect(destination.effects.map(({ key }) => key)).toEqual([
      `${caseId}.createRecord.1`,
      `${caseId}.createRecord.2`,
      `${caseId}.notify.1`,
    ]);
  });

  test("is taken by no worker of the version before, once a later one acted on it", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    const caseId = await waiting(world, destination);
    const before = purchaseAt(destination, FIRST);
    const after = purchaseAt(destination, RENAMED);
    expect(await world.row(caseId)).toMatchObject({ definitionVersion: 1 });
    const later = await world.worker([after]);
    await world.desk(after).addNote(caseId, { text: "look again", ...ann });
    await world.rests(caseId, "waiting");
    await later.stop({ graceMs: 1_000 });
    expect(await world.row(caseId)).toMatchObject({ definitionVersion: 2 });
    await world.desk(after).answerApproval(caseId, { step: "agree", approved: true, ...ann });

    const probe = await world.start(before);
    await world.worker([before]);
    await world.rests(probe, "waiting");
    expect(await world.row(caseId)).toMatchObject({ state: "ready", definitionVersion: 2 });
    const shown = await world.desk(before).show(caseId);
    expect(shown.definition).toMatchObject({ kind: "older", neededVersion: 2, loadedVersion: 1 });
    await world.worker([after]);
    await world.rests(caseId, "done");
    expect(destination.effects.filter(({ path }) => path === "/messages")).toHaveLength(1);
  });

  test("goes back to the former names where code of the same version is rolled back", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    const caseId = await waiting(world, destination);
    const before = purchaseAt(destination, FIRST);
    const after = purchaseAt(destination, { ...RENAMED, version: 1 });
    const later = await world.worker([after]);
    await world.desk(after).addNote(caseId, { text: "look again", ...ann });
    await world.rests(caseId, "waiting");
    await later.stop({ graceMs: 1_000 });
    expect(Object.keys((await world.state(caseId)).steps)).toContain("book");
    await world.worker([before]);
    await world.desk(before).answerApproval(caseId, { step: "approve", approved: true, ...ann });
    await world.rests(caseId, "done");
    expect(destination.effects.map(({ path }) => path)).toEqual(["/records", "/messages"]);
  });

  test("finds out under its former key what may have happened, and never sends it under another", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    destination.script("/records", "loseAnswer");
    const slow = defineDestination("erp", { idempotency: { by: "lookup" }, retry: { firstDelay: "1s" } });
    const caseId = await world.start(purchaseAt(destination, FIRST, slow));
    destination.script(`/effects/${caseId}.createRecord.1`, { status: 503 });
    const worker = await world.worker([purchaseAt(destination, FIRST, slow)]);
    await until("nobody to know", async () => (await world.kinds(caseId)).includes("checkAnswered"));
    await worker.stop({ graceMs: 1_000 });
    await world.worker([purchaseAt(destination, RENAMED, slow)]);
    await until(
      "it to be found",
      async () => (await world.state(caseId)).steps["book"]?.confirmation ?? null,
    );
    const { book } = (await world.state(caseId)).steps;
    expect(book).toMatchObject({ confirmation: { by: { how: "check" } }, intent: { version: 1 } });
    expect(destination.effects).toHaveLength(1);
  });

  test("replays against the new names without a difference", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    const caseId = await waiting(world, destination);
    const stored = await world.store.loadCase(caseId);
    const entries = stored?.journal ?? [];
    const exported = { format: EXPORT_FORMAT, caseId, exportedAt: Date.now(), entries } as const;
    expect(replay(purchaseAt(destination, RENAMED), exported).differences).toEqual([]);
    expect(
      replay(purchaseAt(destination, { version: 2, record: "book" }), exported).differences,
    ).toMatchObject([{ kind: "notSent", step: "createRecord" }]);
  });
});
