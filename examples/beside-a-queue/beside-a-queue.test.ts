import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/setup/database.ts";
import { workAfter, type After } from "./after.ts";
import { startQueue, workBefore } from "./before.ts";
import type { Receipt } from "./charge.ts";
import { startPayments, type Payments } from "./payments.ts";

const WAIT = { timeout: 60_000 };
const job = { order: "o-1", cents: 4_800 };

let database: TestDatabase;
let payments: Payments;
let boss: Awaited<ReturnType<typeof startQueue>>;
let printed: Receipt[];
let after: After | null;

const print = (receipt: Receipt): Promise<void> => {
  printed.push(receipt);
  return Promise.resolve();
};

async function stopBoss(): Promise<void> {
  await boss.stop({ graceful: true, wait: true, timeout: 10_000 });
}

beforeEach(async () => {
  [database, payments] = await Promise.all([createTestDatabase(), startPayments()]);
  boss = await startQueue(database.url, () => undefined);
  printed = [];
  after = null;
});

afterEach(async () => {
  await stopBoss();
  await after?.stop();
  await payments.stop();
  await database.drop();
});

async function move(): Promise<After> {
  after = await workAfter({ boss, databaseUrl: database.url, paymentsUrl: payments.url, print });
  return after;
}

test("before: the answer to a charge is lost, the queue tries the job again, and the customer pays twice", async () => {
  payments.loseAnswers(1);
  await workBefore(boss, payments.url, print);
  await boss.send("charge", job);
  await expect.poll(() => printed.length, WAIT).toBe(1);
  expect(payments.charges).toHaveLength(2);
});

test("after: the same is charged once, and its receipt is one plain job, made in the commit of its step", async () => {
  payments.loseAnswers(1);
  const { desk } = await move();
  await boss.send("charge", job);
  await expect.poll(() => printed, WAIT).toEqual([{ order: "o-1", chargeId: "P-1" }]);
  expect(payments.charges).toHaveLength(1);
  await expect
    .poll(async () => (await desk.list()).cases.map(({ storedState }) => storedState), WAIT)
    .toEqual(["done"]);
});

test("after: a job that the queue hands out twice starts one case", async () => {
  const { desk } = await move();
  for (let times = 0; times < 2; times += 1) await boss.send("charge", job);
  await expect.poll(() => boss.getQueueSize("charge", { before: "completed" }), WAIT).toBe(0);
  await expect.poll(() => printed.length, WAIT).toBe(1);
  expect((await desk.list()).cases).toHaveLength(1);
  expect(payments.charges).toHaveLength(1);
});

test("moving over: what the worker of before charged and did not note is not charged again; a person says so", async () => {
  payments.loseAnswers(Infinity);
  await workBefore(boss, payments.url, print);
  await boss.send("charge", job);
  await expect.poll(() => payments.charges.length, WAIT).toBeGreaterThan(0);
  await boss.offWork("charge");
  await boss.offWork("receipt");
  // The job waits for its next try: no worker of before has it in its hands.
  await expect.poll(() => boss.getQueueSize("charge", { before: "active" }), WAIT).toBe(1);
  const chargedBefore = payments.charges.length;
  payments.loseAnswers(0);

  const { desk } = await move();
  const reviewed = async (): Promise<readonly string[]> =>
    (await desk.list({ withReview: true })).cases.map(({ caseId }) => caseId);
  await expect.poll(reviewed, WAIT).toHaveLength(1);
  const [caseId = ""] = await reviewed();
  const [review] = (await desk.show(caseId)).reviews;
  expect(review?.sentence).toContain("o-1 was charged as P-1");
  const result = { chargeId: "P-1" };
  await desk.confirmStep(caseId, {
    step: "charge",
    by: "ann",
    reason: "it is there",
    evidence: "P-1",
    result,
  });
  await expect.poll(() => printed, WAIT).toEqual([{ order: "o-1", chargeId: "P-1" }]);
  expect(payments.charges).toHaveLength(chargedBefore);
});
