import { afterAll, expect, test } from "vitest";
import { readState, type Reading } from "../../src/core/state.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import type { TestDestination } from "../engine/destination.ts";
import { until, World } from "../engine/world.ts";
import type { Failpoint } from "../../src/engine/failpoints.ts";
import { threeSteps, type StepName } from "./case-types.ts";
import { startWorkerProcess, type Trap, type WorkerProcess } from "./crew.ts";
import type { KindName } from "./kinds.ts";

const LEASE_MS = 3_000;
/** From the kill, or from the start of the first sweep, to the moment at which another worker goes on. */
const RESUMED_WITHIN_MS = LEASE_MS + 2_000;

/** A case type, and where its case is held still, if anywhere. */
interface PlannedCase {
  readonly name: string;
  readonly kind: KindName;
  readonly point: Failpoint | null;
  readonly step: StepName;
}

let database: TestDatabase | null = null;
let schemas = 0;
afterAll(async () => database?.drop());

/** A world of its own with a victim whose cases are all held still where the plan says. */
async function withVictim(
  cases: readonly PlannedCase[],
  act: (scene: Scene) => Promise<void>,
): Promise<void> {
  database ??= await createTestDatabase();
  const schema = `faults${(schemas += 1)}`;
  const { url } = database;
  const store = postgresStore({ url, schema, poolMax: 6 });
  await store.migrate();
  const world = new World(store);
  try {
    const destination = await world.destination({ deduplicates: true });
    // The first request of a case named so is not answered before the test says so.
    destination.script("/held/second", "hold");
    const ids = new Map<string, string>();
    const traps: Trap[] = [];
    for (const { name, kind, point, step } of cases) {
      const caseId = await world.start(threeSteps(destination.url, { name, kind }));
      ids.set(name, caseId);
      if (point !== null) traps.push({ act: "hold", caseId, step, point });
    }
    const victim = await startWorkerProcess({
      name: "victim",
      url,
      schema,
      destination: destination.url,
      leaseMs: LEASE_MS,
      concurrency: 64,
      poolMax: 4,
      databaseTimeoutMs: 5_000,
      workerPerType: false,
      caseTypes: cases,
      traps,
    });
    world.onClose(() => victim.kill());
    await victim.hear("at", traps.length);
    await act({ world, destination, victim, ids, cases });
  } finally {
    await world.close();
  }
}

interface Scene {
  readonly world: World;
  readonly destination: TestDestination;
  readonly victim: WorkerProcess;
  /** Case ids by the name of their type. */
  readonly ids: ReadonlyMap<string, string>;
  readonly cases: readonly PlannedCase[];
}

function idOf({ ids }: Scene, name: string): string {
  const caseId = ids.get(name);
  if (caseId === undefined) throw new Error(`there is no case of type ${name}`);
  return caseId;
}

/** A worker in this process, and when it took each case. */
async function startSurvivor({ world, destination, cases }: Scene): Promise<ReadonlyMap<string, number>> {
  const takenAt = new Map<string, number>();
  const caseTypes = cases.map(({ name, kind }) => threeSteps(destination.url, { name, kind }));
  await world.worker(caseTypes, {
    name: "survivor",
    onReport: (report) => {
      world.reports.push(report);
      if (report.kind !== "claimed") return;
      for (const caseId of report.caseIds) takenAt.set(caseId, takenAt.get(caseId) ?? performance.now());
    },
  });
  return takenAt;
}

function requestsTo({ destination }: Scene, name: string, step: string): number {
  return destination.requests.filter(({ path }) => path === `/${name}/${step}`).length;
}

function effectsOf({ destination }: Scene, name: string): readonly string[] {
  return destination.effects.filter(({ path }) => path.startsWith(`/${name}/`)).map(({ path }) => path);
}

async function reading({ world }: Scene, caseId: string): Promise<Reading> {
  const row = await world.row(caseId);
  const { state, dueAt, summary, claim } = row;
  return readState({
    state,
    dueAt,
    summary,
    claim,
    holder: await world.holderOf(row),
    now: await world.store.now(),
  });
}

const key = { kind: "key", step: "second" } as const;

test("kill -9 at every point of an attempt: one effect for each step, and another worker goes on within lease + 2 s", async () => {
  const cases: readonly PlannedCase[] = [
    { ...key, name: "beforeIntent", point: "beforeIntent", step: "first" },
    { ...key, name: "afterIntent", point: "afterIntent" },
    { ...key, name: "duringSend", point: "duringSend" },
    { ...key, name: "afterSend", point: "afterSend" },
    { ...key, name: "beforeConfirm", point: "beforeConfirm" },
    { ...key, name: "afterConfirm", point: "afterConfirm" },
    { name: "none-unsent", kind: "none", point: "afterIntent", step: "second" },
    { name: "none-sent", kind: "none", point: "duringSend", step: "second" },
  ];
  await withVictim(cases, async (scene) => {
    const { world, victim, destination } = scene;
    // What was sent at "duringSend" has arrived.
    await until(
      "the sends",
      () => requestsTo(scene, "duringSend", "second") + requestsTo(scene, "none-sent", "second") === 2,
    );
    world.sweep();
    const takenAt = await startSurvivor(scene);
    expect(takenAt.size).toBe(0);
    const killedAt = performance.now();
    await victim.kill();
    for (const { name, kind } of cases) {
      const caseId = idOf(scene, name);
      await world.rests(caseId, kind === "key" ? "done" : "in_review");
      expect((takenAt.get(caseId) ?? Infinity) - killedAt).toBeLessThan(RESUMED_WITHIN_MS);
    }
    for (const { name } of cases.filter(({ kind }) => kind === "key")) {
      expect(effectsOf(scene, name)).toEqual([`/${name}/first`, `/${name}/second`, `/${name}/third`]);
      const lost = (await world.entries(idOf(scene, name))).filter(({ kind }) => kind === "claimLost");
      expect([name, lost.length]).toEqual([name, name === "beforeIntent" ? 0 : 1]);
    }
    // An outcome that nobody knows is never sent again where the destination can do nothing about it.
    expect(requestsTo(scene, "none-unsent", "second")).toBe(0);
    expect(requestsTo(scene, "none-sent", "second")).toBe(1);
    for (const name of ["none-unsent", "none-sent"]) {
      expect((await world.row(idOf(scene, name))).summary.reviews).toMatchObject([
        { step: "second", reason: "unknown" },
      ]);
    }
    const sent = cases.map(({ name }) => `${name} ${requestsTo(scene, name, "second")}`);
    expect(sent).toEqual([
      "beforeIntent 1",
      "afterIntent 1",
      "duringSend 2",
      "afterSend 2",
      "beforeConfirm 2",
      "afterConfirm 1",
      "none-unsent 0",
      "none-sent 1",
    ]);
    const keys = destination.requests.map(({ path, key: one }) => `${path} ${one}`);
    expect(new Set(keys).size).toBe(new Set(destination.requests.map(({ path }) => path)).size);
  });
});

test("a killed worker's case reads Worker lost by the clock, without any sweep, and goes on within lease + 2 s of the first", async () => {
  const cases: readonly PlannedCase[] = [{ ...key, name: "lost", point: "duringSend" }];
  await withVictim(cases, async (scene) => {
    const { world, victim } = scene;
    const caseId = idOf(scene, "lost");
    expect(await reading(scene, caseId)).toMatchObject({ state: "Running", actsNext: "victim" });
    await victim.kill();
    const killedAt = performance.now();
    const lost = await until("the clock to tell", async () => {
      const read = await reading(scene, caseId);
      return read.state === "Worker lost" ? read : null;
    });
    expect(performance.now() - killedAt).toBeLessThan(LEASE_MS + 500);
    expect(lost.sentence).toContain("victim (here) has given no sign of life");
    expect(await world.row(caseId)).toMatchObject({ state: "claimed" });
    const takenAt = await startSurvivor(scene);
    world.sweep();
    const sweptAt = performance.now();
    await world.rests(caseId, "done");
    expect((takenAt.get(caseId) ?? Infinity) - sweptAt).toBeLessThan(RESUMED_WITHIN_MS);
    expect(effectsOf(scene, "lost")).toHaveLength(3);
  });
});

test("SIGSTOP past the lease, then SIGCONT: the late commit is refused, the late report is kept, and there is one effect", async () => {
  const cases: readonly PlannedCase[] = [
    { ...key, name: "sent", point: "afterSend" },
    { ...key, name: "unsent", point: "afterIntent" },
    { ...key, name: "held", point: null },
    { name: "none-sent", kind: "none", point: "afterSend", step: "second" },
    { name: "none-unsent", kind: "none", point: "afterIntent", step: "second" },
  ];
  await withVictim(cases, async (scene) => {
    const { world, victim, destination } = scene;
    const claims = new Map<string, string | undefined>();
    for (const { name } of cases) claims.set(name, (await world.row(idOf(scene, name))).claim?.claimId);
    await until("the send that is held", () => requestsTo(scene, "held", "second") === 1);
    victim.signal("SIGSTOP");
    world.sweep();
    await startSurvivor(scene);
    for (const { name, kind } of cases) {
      await world.rests(idOf(scene, name), kind === "key" ? "done" : "in_review");
    }
    victim.signal("SIGCONT");
    victim.tell("go");
    await victim.hear("claimLost", 5);
    const reports = await victim.hear("lateReport", 5);
    const told = new Map(reports.map(({ caseId, took }) => [caseId, took]));
    for (const [name, took] of [
      ["sent", "effect"],
      ["unsent", "noEffect"],
      ["held", "noEffect"],
      ["none-sent", "effect"],
      ["none-unsent", "noEffect"],
    ] as const) {
      const caseId = idOf(scene, name);
      expect([name, told.get(caseId)]).toEqual([name, took]);
      const late = (await world.entries(caseId)).filter((entry) => entry.kind === "lateReport");
      expect(late).toMatchObject([{ step: "second", attempt: 1, claimId: claims.get(name) }]);
    }
    // The one that was under way was aborted when the worker woke up; it is executed late, and taken for the same.
    destination.release();
    await until("the held request", () => requestsTo(scene, "held", "second") === 2);
    // What the stopped worker had not sent yet it did not send any more.
    expect(requestsTo(scene, "unsent", "second")).toBe(1);
    expect(requestsTo(scene, "none-unsent", "second")).toBe(0);
    // The report is evidence: what it told of is confirmed and goes on, and was never sent again.
    await world.rests(idOf(scene, "none-sent"), "done");
    expect(requestsTo(scene, "none-sent", "second")).toBe(1);
    for (const name of ["sent", "unsent", "held", "none-sent"]) {
      expect(effectsOf(scene, name)).toEqual([`/${name}/first`, `/${name}/second`, `/${name}/third`]);
    }
    expect(destination.effects).toHaveLength(13);
    victim.tell("stop");
    await victim.hear("stopped");
  });
});
