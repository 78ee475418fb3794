import { beforeEach, expect, test } from "vitest";
import { systemPorts } from "../engine/system.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import type { SecondRule } from "../core/second-person.ts";
import type { Store } from "../store/port.ts";
import { createDesk, type Desk } from "./desk.ts";
import { testDesk, testRegistry } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";
import { onEachStore } from "./stores.fixture.ts";

const rules: readonly SecondRule[] = [
  { moves: ["skip", "cancel", "correct", "force"], caseTypes: ["purchase"] },
];
const input = { vendor: "ACME", amount: 12.5 };
const ada = { id: "p-1", label: "ada", roles: [] };
const ben = { id: "p-2", label: "ben", roles: [] };

onEachStore("a move that needs a second person", (storeOf) => {
  let store: Store;
  let desk: Desk;
  let caseId = "";

  beforeEach(async () => {
    store = storeOf();
    desk = createDesk({
      store,
      registry: testRegistry,
      ports: systemPorts(),
      engineVersion: ENGINE_VERSION,
      secondRules: rules,
    });
    ({ caseId } = await desk.startCase("purchase", input, { by: "ada" }));
  });

  const askToCancel = async (by: typeof ada | string = ada): Promise<string> => {
    const plan = (await desk.show(caseId)).plan?.version ?? "";
    const asked = await desk.cancel(caseId, { by, plan, reason: "not wanted" });
    expect(asked).toMatchObject({ caseId, outcome: "requested" });
    const [request] = await desk.listSeconds(caseId);
    if (request === undefined) throw new Error("nothing was asked for");
    expect(asked.sentence).toContain(request.requestId);
    return request.requestId;
  };

  test("is asked for in its place, stands in sight with who asks and why, and changes nothing", async () => {
    const requestId = await askToCancel();
    const { seconds, revision, storedState } = await desk.show(caseId);
    expect([revision, storedState]).toEqual([1, "ready"]);
    expect(seconds).toMatchObject([
      {
        requestId,
        move: "cancel",
        step: null,
        reason: "not wanted",
        askedBy: { name: "ada" },
        state: "open",
      },
    ]);
    expect(seconds[0]?.sentence).toMatch(
      /^ada asks for cancel \(not wanted\); another person has to approve it/,
    );
    expect(await desk.listSeconds()).toMatchObject([{ requestId }]);
    const { lines } = await store.audit.list({ limit: 10, caseId });
    expect(lines).toMatchObject([{ act: "cancel", outcome: "requested", who: "ada", after: { requestId } }]);
    // What was asked for, as a hash, and the plan that it is bound to: sealed with the audit.
    const hash: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(lines[0]?.after).toMatchObject({ request: hash, plan: seconds[0]?.plan });
  });

  test("is found by a list of its own while it waits, and stays in the history of its case", async () => {
    const { caseId: other } = await desk.startCase("purchase", input, { by: "ada" });
    const requestId = await askToCancel();
    const listed = async () => (await desk.list({ awaitsSecond: true })).cases.map((one) => one.caseId);
    expect(await listed()).toEqual([caseId]);
    expect((await desk.show(caseId)).pastSeconds).toEqual([]);
    await desk.answerSecond(requestId, { approved: false, by: ben, reason: "the supplier called" });
    expect(await listed()).toEqual([]);
    const [past] = (await desk.show(caseId)).pastSeconds;
    expect(past).toMatchObject({ requestId, state: "declined", answeredBy: { name: "ben" } });
    expect(past?.sentence).toMatch(
      /^ada asked for cancel \(not wanted\); ben declined it at .*: the supplier called\.$/,
    );
    expect((await desk.show(other)).pastSeconds).toEqual([]);
  });

  test("is made once another person approved it, and both are on record", async () => {
    const requestId = await askToCancel();
    expect(await desk.answerSecond(requestId, { approved: true, by: ben })).toMatchObject({
      outcome: "done",
    });
    const shown = await desk.show(caseId);
    expect(shown).toMatchObject({ storedState: "canceled", seconds: [] });
    const last = shown.history.at(-1);
    expect(last?.by).toMatchObject({ name: "ada", personId: "p-1" });
    expect(JSON.stringify(last)).toContain("not wanted; approved by ben");
    const { lines } = await store.audit.list({ limit: 10, outcome: "done" });
    expect(lines.map(({ act, who }) => `${who} ${act}`)).toEqual(["ben approveSecond", "ada cancel"]);
    expect(await refusalOf(desk.answerSecond(requestId, { approved: true, by: ben }))).toMatchObject({
      code: "SECOND_OVER",
    });
  });

  test.each([
    ["whoever asked", ada],
    ["a token of theirs", { ...ada, label: "ada (nightly)" }],
    ["their name at the command line", "ada"],
  ])("is not approved by %s, which is on record", async (_, by) => {
    const requestId = await askToCancel();
    const refused = await refusalOf(desk.answerSecond(requestId, { approved: true, by }));
    expect(refused).toMatchObject({ code: "SECOND_REFUSED", details: { caseId } });
    expect(await desk.listSeconds(caseId)).toHaveLength(1);
    expect((await desk.show(caseId)).storedState).toBe("ready");
    const { lines } = await store.audit.list({ limit: 10, outcome: "refused" });
    expect(lines).toMatchObject([{ act: "approveSecond", code: "SECOND_REFUSED", about: requestId }]);
  });

  test("is void once the plan changed, and says what changed", async () => {
    const requestId = await askToCancel();
    await desk.answerApproval(caseId, {
      step: "approve",
      approved: true,
      form: { costCenter: "7" },
      by: ben,
    });
    const refused = await refusalOf(desk.answerSecond(requestId, { approved: true, by: ben }));
    expect(refused.code).toBe("PLAN_CHANGED");
    expect(refused.message).toContain("approve: answer changed");
    expect(await desk.listSeconds(caseId)).toEqual([]);
    expect(await store.seconds.load(requestId)).toMatchObject({ state: "void", answeredBy: { name: "ben" } });
    expect((await desk.show(caseId)).storedState).not.toBe("canceled");
    expect((await refusalOf(desk.answerSecond(requestId, { approved: true, by: ben }))).code).toBe(
      "SECOND_OVER",
    );
  });

  test("is declined by another person, or taken back by whoever asked", async () => {
    const first = await askToCancel();
    const declined = await desk.answerSecond(first, { approved: false, by: ben, reason: "keep it" });
    expect(declined.sentence).toBe("Declined; nothing was done.");
    expect(await store.seconds.load(first)).toMatchObject({ state: "declined", why: "keep it" });
    const second = await askToCancel();
    await desk.answerSecond(second, { approved: false, by: ada });
    expect(await desk.listSeconds()).toEqual([]);
    expect((await desk.show(caseId)).revision).toBe(1);
  });

  test("is made once when two people approve it at the same time", async () => {
    const requestId = await askToCancel();
    const eve = { id: "p-3", label: "eve", roles: [] };
    const answers = await Promise.allSettled(
      [ben, eve].map((by) => desk.answerSecond(requestId, { approved: true, by })),
    );
    expect(answers.some(({ status }) => status === "fulfilled")).toBe(true);
    const shown = await desk.show(caseId);
    expect(shown.history.filter(({ kind }) => kind === "canceled")).toHaveLength(1);
    expect(await store.seconds.load(requestId)).toMatchObject({ state: "approved" });
  });

  test("is made with what the first person asked for: a corrected input", async () => {
    const corrected = { vendor: "ACME", amount: 99 };
    await desk.correctInput(caseId, { input: corrected, by: ada, reason: "typo" });
    const [request] = await desk.listSeconds(caseId);
    expect(request).toMatchObject({ move: "correct", request: { input: corrected } });
    expect((await desk.show(caseId)).input).toEqual(input);
    await desk.answerSecond(request?.requestId ?? "", { approved: true, by: ben });
    expect((await desk.show(caseId)).input).toEqual(corrected);
  });

  test("is refused at once where it is not allowed anyway, and needs nobody on cases of another type", async () => {
    const refused = desk.skipStep(caseId, { step: "notify", reason: "x", by: ada, plan: undefined });
    expect((await refusalOf(refused)).code).not.toMatch(/^SECOND/);
    const wrong = desk.correctInput(caseId, { input: { vendor: "" }, by: ada, reason: "x" });
    expect((await refusalOf(wrong)).code).toBe("INVALID_INPUT");
    expect(await desk.listSeconds()).toEqual([]);
    const other = await desk.startCase("side-by-side", null, { by: "ada" });
    expect(await desk.cancel(other.caseId, { by: ada })).toMatchObject({ outcome: "done" });
  });

  test("is not made on many cases at once", async () => {
    const { bulkId } = await desk.startBulk({
      move: { move: "cancel" },
      filter: { by: "cases", caseIds: [caseId] },
      by: ada,
      reason: "all",
    });
    await desk
      .bulkRunner({
        onError: (error) => {
          throw error;
        },
      })
      .runOnce();
    expect((await desk.showBulk(bulkId)).items).toMatchObject([{ state: "refused", code: "SECOND_NEEDED" }]);
  });

  test("is an approval of somebody else than who started the case or corrected its input, where the rules say so", async () => {
    const strict = createDesk({
      store,
      registry: testRegistry,
      ports: systemPorts(),
      engineVersion: ENGINE_VERSION,
      secondRules: [{ moves: ["approve"], caseTypes: ["purchase"] }],
    });
    const started = await strict.startCase("purchase", input, { by: ada });
    const yes = { step: "approve", approved: true, form: { costCenter: "4711" } };
    const token = { ...ada, label: "ada (ci)" };
    for (const by of [ada, token]) {
      const refused = await refusalOf(strict.answerApproval(started.caseId, { ...yes, by }));
      expect(refused).toMatchObject({
        code: "SECOND_REFUSED",
        message: expect.stringContaining("another person has to approve") as unknown,
      });
    }
    const seenBy = async (who: typeof ada): Promise<unknown> => {
      const { moves } = await strict.show(started.caseId, undefined, { who });
      const [move] = moves.filter((one) => one.move === "approve");
      return [move?.isAllowed, move?.code];
    };
    expect([await seenBy(ada), await seenBy(ben)]).toEqual([
      [false, "SECOND_REFUSED"],
      [true, null],
    ]);
    await strict.correctInput(started.caseId, { input: { ...input, amount: 99 }, reason: "typo", by: ben });
    expect((await refusalOf(strict.answerApproval(started.caseId, { ...yes, by: ben }))).code).toBe(
      "SECOND_REFUSED",
    );
    const cleo = { id: "p-3", label: "cleo", roles: [] };
    expect(await strict.answerApproval(started.caseId, { ...yes, by: cleo })).toMatchObject({
      outcome: "done",
    });
    const other = await strict.startCase("purchase", input, { by: ada });
    // Whoever asks for something may take it back.
    const no = { step: "approve", approved: false, by: ada };
    expect(await strict.answerApproval(other.caseId, no)).toMatchObject({ outcome: "done" });
  });

  test("is not approved by who corrects the input at that moment", async () => {
    const racing: Store = {
      ...store,
      loadCase: async (id) => {
        const stored = await store.loadCase(id);
        const correcting = testDesk(store);
        await correcting.correctInput(id, { input: { ...input, amount: 7 }, reason: "typo", by: ben });
        return stored;
      },
    };
    const strict = createDesk({
      store: racing,
      registry: testRegistry,
      ports: systemPorts(),
      engineVersion: ENGINE_VERSION,
      secondRules: [{ moves: ["approve"], caseTypes: "all" }],
    });
    const yes = { step: "approve", approved: true, form: { costCenter: "4711" }, by: ben };
    expect((await refusalOf(strict.answerApproval(caseId, yes))).code).toBe("PLAN_CHANGED");
  });

  test("a request that nobody knows is not found", async () => {
    for (const requestId of ["", "s07-nobody", "x"]) {
      const refused = await refusalOf(desk.answerSecond(requestId, { approved: true, by: ben }));
      expect(refused.code).toBe("SECOND_NOT_FOUND");
    }
  });
});
