import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../../src/define/builder.ts";
import { readNoticeBook } from "../../src/define/notice-book.ts";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk, type Desk } from "../../src/desk/desk.ts";
import { refusalOf } from "../../src/desk/refusal.fixture.ts";
import type { Person } from "../../src/desk/requests.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import { createTestWorld, expectDone, expectReview, expectWaiting } from "../../src/testing.ts";
import { STORES, until, worldsOn, type World } from "./world.ts";

const Request = z.object({ item: z.string() });
const item = { item: "12 lamps" };

/** Short, so that a test waits for the real clock of a database. */
const pressing = defineCase("pressing", { version: 1, owner: "sales", input: Request }).approval("approve", {
  by: "finance",
  expires: "1h",
  escalate: { to: "board", after: "700ms" },
});

const patient = defineCase("patient", { version: 1, owner: "sales", input: Request }).approval("approve", {
  by: "finance",
  expires: "5d",
  remind: "1d",
  escalate: { to: "board", after: "2d" },
});

const { owners } = readNoticeBook({
  channels: { chat: { kind: "slack", url: () => "https://hooks.example.com/" } },
  owners: {
    ada: { tell: ["chat"] },
    cleo: { tell: ["chat"] },
    finance: { people: ["ada"] },
    board: { people: ["cleo"] },
  },
}).book;

function person(name: string): Person {
  return { id: `id-${name}`, label: name, roles: [] };
}

async function deskWithPeople({ store, ports }: World): Promise<Desk> {
  for (const name of ["ada", "cleo", "dan"]) {
    await store.people.addPerson({ personId: `id-${name}`, name, passwordHash: null, roles: ["approver"] });
  }
  return createDesk({
    store,
    ports,
    registry: registryOf([pressing]),
    engineVersion: ENGINE_VERSION,
    owners,
  });
}

describe.each(STORES)("an approval on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("is escalated by time alone: nobody touches the case, and then two owners are asked", async () => {
    const world = await worlds.open();
    const desk = await deskWithPeople(world);
    await world.worker([pressing]);
    const caseId = await world.start(pressing, item);
    const parked = await world.rests(caseId, "waiting");
    const yes = { step: "approve", approved: true };
    const early = await refusalOf(desk.answerApproval(caseId, { ...yes, by: person("cleo") }));
    expect(early.message).toContain("Only ada of finance may answer.");
    expect((await desk.show(caseId)).reading.actsNext).toBe("finance");
    expect((await desk.list({ owner: "board" })).cases).toEqual([]);

    const listed = await until("the board to be asked too", async () => {
      const { cases } = await desk.list({ owner: "board" });
      return cases.length > 0 && cases;
    });
    expect(listed).toMatchObject([{ caseId, reading: { actsNext: "finance or board" } }]);
    const packet = await desk.show(caseId);
    expect(packet.headline).toContain("Next: finance or board");
    expect(packet.waits).toMatchObject([
      { actsNext: "finance or board", mayAnswer: "Only ada of finance, or cleo of board may answer." },
    ]);
    expect(packet.plan?.needs).toMatchObject([{ who: "finance or board" }]);
    const { needs } = await world.store.notices.countNeeds(86_400_000);
    expect(needs.map(({ owner, open }) => [owner, open?.cases])).toEqual([
      ["board", 1],
      ["finance", 1],
    ]);
    expect((await world.row(caseId)).revision).toBe(parked.revision);

    expect((await refusalOf(desk.answerApproval(caseId, { ...yes, by: person("dan") }))).code).toBe(
      "APPROVER_REFUSED",
    );
    expect(await desk.answerApproval(caseId, { ...yes, by: person("cleo") })).toMatchObject({
      outcome: "done",
    });
    await world.rests(caseId, "done");
    const { entry } = (await world.store.loadCase(caseId))?.journal.find(
      (one) => one.entry.kind === "approvalAnswered",
    ) ?? { entry: null };
    expect(entry).not.toHaveProperty("inPlaceOf");
  });
});

describe("an approval in a world where time is skipped", () => {
  test("is asked of its owner, then of two, then expires; and asked anew it begins again", async () => {
    const world = createTestWorld({ cases: [patient] });
    const caseId = await world.start(patient, item);
    expectWaiting(await world.runToNextWait(caseId), "approval", "approve");
    const next = async (): Promise<string> => (await world.desk.show(caseId)).reading.actsNext;
    const entries = (await world.journal(caseId)).entries.length;
    await world.advance("47h");
    expect(await next()).toBe("finance");
    await world.advance("1h");
    expect(await next()).toBe("finance or board");
    expect((await world.journal(caseId)).entries).toHaveLength(entries);
    await world.advance("3d");
    expectReview(await world.journal(caseId), "approve", "expired");
    await world.resume(caseId);
    expectWaiting(await world.runToNextWait(caseId), "approval", "approve");
    expect(await next()).toBe("finance");
    await world.approve(caseId, "approve");
    expectDone(await world.runToEnd(caseId));
  });
});
