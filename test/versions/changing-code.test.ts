import { afterAll, afterEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../examples/services/seeded-random.ts";
import type { Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import type { TestDestination } from "../engine/destination.ts";
import { until, World } from "../engine/world.ts";
import { createTestDatabase } from "../setup/database.ts";
import { startOwnProcess, type OwnProcess } from "../setup/own-process.ts";
import { caseTypeOf, CHANGES, FIRST_BUILD, nextBuild, type Build } from "./builds.ts";

/** Cases in flight. */
const CASES = 200;
/** Effects that are to be seen before the next build is deployed, and while old and new run side by side. */
const EFFECTS_BETWEEN = 60;
/** Reviews that a person closes until all is done: each resume may bring the next one. */
const ROUNDS_MAX = 10;

const ann = { by: "ann" } as const;
const database = await createTestDatabase();
afterAll(() => database.drop());

const processes = new Set<OwnProcess>();
const worlds = new Set<World>();
afterEach(async () => {
  for (const world of worlds) await world.close();
  worlds.clear();
  await Promise.all([...processes].map((one) => one.end()));
  processes.clear();
});

async function deploy(build: Build, destination: TestDestination): Promise<OwnProcess> {
  const own = startOwnProcess(new URL("build-process.ts", import.meta.url));
  processes.add(own);
  own.tell(JSON.stringify({ databaseUrl: database.url, destinationUrl: destination.url, build }));
  expect(await own.nextLine(60_000)).toBe("started");
  return own;
}

/** Ends it in order; whatever bug it reported fails the test. */
async function retire(own: OwnProcess): Promise<void> {
  own.tell("stop");
  expect(await own.nextLine(60_000)).toBe("stopped");
  await own.ended();
  processes.delete(own);
}

async function rowsOf(store: Store) {
  return (await store.listCases({ limit: 500 })).rows;
}

async function moreEffects(destination: TestDestination, store: Store): Promise<void> {
  const before = destination.effects.length;
  await until("more effects, or nothing left to do", async () => {
    if (destination.effects.length >= before + EFFECTS_BETWEEN) return true;
    const moving = (await rowsOf(store)).filter(({ state }) => state !== "done" && state !== "in_review");
    return moving.length === 0;
  });
}

function repeatedIn({ effects }: TestDestination): readonly string[] {
  const paths = effects.map(({ path }) => path);
  return paths.filter((path, index) => paths.indexOf(path) !== index);
}

describe("code that is changed under 200 cases", () => {
  test("five times, with old and new workers side by side and one rollback, repeats and loses nothing", async () => {
    const store = postgresStore({ url: database.url, poolMax: 4 });
    await store.migrate();
    const world = new World(store);
    worlds.add(world);
    const destination = await world.destination();
    const random = seededRandom("changing code under running cases");
    const first = caseTypeOf(FIRST_BUILD, destination.url);
    for (let n = 0; n < CASES; n += 1) {
      await world.desk(first).startCase("living", { n }, { by: "ann" });
    }
    world.sweep();

    let build = FIRST_BUILD;
    const builds = [build];
    let running = await deploy(build, destination);
    const changes = [...CHANGES].toSorted(() => random.under(3) - 1);
    const rollbackAt = 1 + changes.findIndex((one) => one === "add" || one === "remove" || one === "reorder");
    for (const [index, change] of changes.entries()) {
      await moreEffects(destination, store);
      const before = build;
      build = nextBuild(before, change, random);
      builds.push(build);
      const old = running;
      running = await deploy(build, destination);
      await moreEffects(destination, store);
      await retire(old);
      if (index + 1 !== rollbackAt) continue;
      await moreEffects(destination, store);
      const rolledBack = await deploy(before, destination);
      await retire(running);
      const held = (await rowsOf(store)).filter(
        ({ definitionVersion, state }) => definitionVersion > before.version && state === "ready",
      );
      await until("all that the old build may take to be at rest", async () =>
        (await rowsOf(store)).every(
          ({ definitionVersion, state }) =>
            definitionVersion > before.version || state === "done" || state === "in_review",
        ),
      );
      expect(held.length).toBeGreaterThan(0);
      for (const { caseId } of held.slice(0, 5)) {
        const shown = await world.desk(caseTypeOf(before, destination.url)).show(caseId);
        expect(shown.definition).toMatchObject({ kind: "older", neededVersion: build.version });
      }
      const { notices } = await world.desk(caseTypeOf(before, destination.url)).overview();
      expect(notices).toMatchObject([{ waiting: held.length, neededVersion: build.version }]);
      expect(repeatedIn(destination)).toEqual([]);
      running = await deploy(build, destination);
      await retire(rolledBack);
    }
    const healed = build.forgot === null ? build : nextBuild(build, "rename", random);
    if (healed !== build) {
      const old = running;
      running = await deploy(healed, destination);
      await retire(old);
    }

    const desk = world.desk(caseTypeOf(healed, destination.url));
    for (let round = 1; ; round += 1) {
      await until("all to be at rest", async () =>
        (await rowsOf(store)).every(({ state }) => state === "done" || state === "in_review"),
      );
      const open = (await rowsOf(store)).filter(({ summary }) => summary.reviews.length > 0);
      if (open.length === 0) break;
      expect(round).toBeLessThan(ROUNDS_MAX);
      for (const { caseId } of open) await desk.resume(caseId, { ...ann, reason: "looked at" });
    }
    await retire(running);

    const rows = await rowsOf(store);
    expect(rows).toHaveLength(CASES);
    expect(rows.filter(({ state }) => state !== "done")).toEqual([]);
    expect(repeatedIn(destination)).toEqual([]);
    const done = new Set(destination.effects.map(({ path }) => path));
    // Each did all that the code it ended under has.
    for (const { caseId, definitionVersion } of rows) {
      const { n } = (await world.state(caseId)).input as { readonly n: number };
      const wanted = builds.findLast(({ version }) => version === definitionVersion)?.steps ?? [];
      expect(wanted.map(({ does }) => `/${does}/${n}`).filter((path) => !done.has(path))).toEqual([]);
      expect(wanted).not.toEqual([]);
    }
    expect(new Set(rows.map(({ definitionVersion }) => definitionVersion)).size).toBeGreaterThan(1);
  }, 300_000);
});
