import { beforeEach, describe, expect, test } from "vitest";
import { foldEntries } from "../core/fold.ts";
import { rowOf } from "../core/row.ts";
import type { SecondRule } from "../core/second-person.ts";
import { readNoticeBook } from "../define/notice-book.ts";
import { systemPorts } from "../engine/system.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { createDesk, type Desk } from "./desk.ts";
import { testDesk, testRegistry } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";
import type { Person } from "./requests.ts";

const { owners } = readNoticeBook({
  channels: { chat: { kind: "slack", url: () => "https://hooks.example.com/" } },
  owners: { ada: { tell: ["chat"] }, ben: { tell: ["chat"] }, finance: { people: ["ada", "ben"] } },
}).book;

function person(name: string): Person {
  return { id: `id-${name}`, label: name, roles: [] };
}
const [ada, ben, cleo] = [person("ada"), person("ben"), person("cleo")];
/** Stores what a worker does that meets the approval: the case waits for it. */
async function waitForApproval(store: Store, caseId: string): Promise<void> {
  const commitId = systemPorts().ids.unique();
  await store.changeCase(caseId, { commitId, sourceId: null }, ({ state }, now) => {
    const wait = { kind: "approval", step: "approve", dueAt: now + 259_200_000, by: "finance" } as const;
    const entries = [{ kind: "parked", waits: [wait], dueAt: wait.dueAt }] as const;
    const at = Math.max(now, state.changedAt);
    const row = rowOf(
      foldEntries(
        state,
        entries.map((entry) => ({ revision: state.revision + 1, at, commitId, entry })),
      ),
    );
    return { kind: "write", commitId, entries, at, row, claim: "keep", reply: null };
  });
}

const yes = { step: "approve", approved: true, form: { costCenter: "4711" } };

describe("an approval", () => {
  let store: Store;
  let caseId = "";

  const deskWith = (secondRules: readonly SecondRule[] = []): Desk =>
    createDesk({
      store,
      registry: testRegistry,
      ports: systemPorts(),
      engineVersion: ENGINE_VERSION,
      owners,
      secondRules,
    });

  const addAll = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      await store.people.addPerson({ personId: `id-${name}`, name, passwordHash: null, roles: ["approver"] });
    }
  };

  const seenBy = async (who: Person, lacks: string | null = null): Promise<unknown> => {
    const hasRight = (right: string): boolean => right !== lacks;
    const { moves, waits } = await deskWith().show(caseId, undefined, { who, hasRight });
    const shown = moves.filter(({ move }) => move === "approve" || move === "standIn");
    const told = shown.map(({ move, step, isAllowed, code }) => [move, step, isAllowed, code]);
    return [told, waits.map(({ mayAnswer }) => mayAnswer)];
  };

  beforeEach(async () => {
    store = memoryStore();
    const started = { by: "shop" };
    ({ caseId } = await testDesk(store).startCase("purchase", { vendor: "ACME", amount: 1 }, started));
    await waitForApproval(store, caseId);
  });

  test("is answered by its owner's people and nobody else, with yes or no", async () => {
    await addAll("ada", "ben", "cleo");
    const desk = deskWith();
    for (const approved of [true, false]) {
      expect(await refusalOf(desk.answerApproval(caseId, { ...yes, approved, by: cleo }))).toMatchObject({
        code: "APPROVER_REFUSED",
        message: expect.stringContaining("Only ada or ben of finance may answer.") as unknown,
        details: { caseId },
      });
    }
    const { lines } = await store.audit.list({ limit: 9, who: "id-cleo" });
    expect(lines).toMatchObject([
      { act: "approve", outcome: "refused", code: "APPROVER_REFUSED" },
      { act: "approve" },
    ]);
    const byToken = { ...ben, label: "ben (phone)" };
    expect(await desk.answerApproval(caseId, { ...yes, by: byToken })).toMatchObject({ outcome: "done" });
  });

  test("is answered in place of its owner with a reason, on record", async () => {
    await addAll("ada", "cleo");
    const desk = deskWith();
    const standIn = { ...yes, standIn: true, by: cleo };
    expect(await refusalOf(desk.answerApproval(caseId, standIn))).toMatchObject({
      code: "INVALID_REQUEST",
      message: `To answer approve of case ${caseId} in place of its owner, say why in the note.`,
    });
    await desk.answerApproval(caseId, { ...standIn, note: "finance is away" });
    const stored = await store.loadCase(caseId);
    expect(stored?.journal.at(-1)?.entry).toMatchObject({ kind: "approvalAnswered", inPlaceOf: "finance" });
    const { history } = await desk.show(caseId);
    expect(history.at(-1)?.sentence).toBe("cleo approved approve in place of finance: finance is away.");
    const { lines } = await store.audit.list({ limit: 1, who: "id-cleo" });
    expect(lines).toMatchObject([
      { why: "finance is away", after: { entries: ["approved in place of finance"] } },
    ]);
  });

  test("is answered for themselves by its people, also where they say that they stand in", async () => {
    await addAll("ada");
    await deskWith().answerApproval(caseId, { ...yes, standIn: true, note: "in a hurry", by: ada });
    expect((await store.loadCase(caseId))?.journal.at(-1)?.entry).not.toHaveProperty("inPlaceOf");
  });

  test("is answered by whoever has the right where nobody knows its owner's people", async () => {
    await addAll("cleo");
    const view = await deskWith().show(caseId, undefined, { who: cleo });
    expect(view.waits).toMatchObject([
      { mayAnswer: "Whoever has the right to approve may answer: no account is known to be finance's." },
    ]);
    expect(await deskWith().answerApproval(caseId, { ...yes, by: cleo })).toMatchObject({ outcome: "done" });
  });

  test("is answered by whoever has the right where a desk knows no owners", async () => {
    await addAll("ada");
    expect((await testDesk(store).show(caseId, undefined, { who: cleo })).waits).toMatchObject([
      { mayAnswer: null },
    ]);
    expect(await testDesk(store).answerApproval(caseId, { ...yes, by: cleo })).toMatchObject({
      outcome: "done",
    });
  });

  test("shows whoever looks whether they may answer, why not, and who may", async () => {
    await addAll("ada", "ben", "cleo");
    const only = ["Only ada or ben of finance may answer."];
    expect(await seenBy(ada)).toEqual([[["approve", "approve", true, null]], only]);
    expect(await seenBy(cleo)).toEqual([
      [
        ["approve", null, false, "APPROVER_REFUSED"],
        ["standIn", "approve", true, null],
      ],
      only,
    ]);
    expect(await seenBy(cleo, "standIn")).toEqual([
      [
        ["approve", null, false, "APPROVER_REFUSED"],
        ["standIn", "approve", false, null],
      ],
      only,
    ]);
  });

  test("binds two rules at once: its owner's people, and another one than who started the case", async () => {
    await addAll("ada", "ben", "cleo");
    const desk = deskWith([{ moves: ["approve"], caseTypes: "all" }]);
    const { caseId: own } = await desk.startCase("purchase", { vendor: "ACME", amount: 2 }, { by: cleo });
    await waitForApproval(store, own);
    const standIn = { ...yes, standIn: true, note: "nobody is here", by: cleo };
    expect((await refusalOf(desk.answerApproval(own, { ...yes, by: cleo }))).code).toBe("APPROVER_REFUSED");
    // Whoever shaped what is approved does not approve it in anybody's place either.
    expect((await refusalOf(desk.answerApproval(own, standIn))).code).toBe("SECOND_REFUSED");
    const { moves } = await desk.show(own, undefined, { who: cleo });
    expect(moves.find(({ move }) => move === "standIn")).toMatchObject({ code: "SECOND_REFUSED" });
    expect(await desk.answerApproval(own, { ...yes, by: ben })).toMatchObject({ outcome: "done" });
  });
});
