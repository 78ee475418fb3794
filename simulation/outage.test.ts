import { expect, test } from "vitest";
import { runOutage, type OutagePlan } from "./outage.ts";

const plan: Omit<OutagePlan, "isLimited"> = {
  workers: 4,
  perSecond: 5,
  load: 0.8,
  calmS: 5,
  outageS: 20,
  afterS: 10,
  untilS: 200,
};

test("an outage at 80 % load is got over without a person, without a surge, and with few requests in vain", async () => {
  const { started, done, requests, seconds, surge } = await runOutage({ ...plan, isLimited: true });
  expect(done).toBe(started);
  expect(requests).toBeLessThanOrEqual(started * 1.3);
  // What the server gets done in a second, and what its queue holds for the next.
  expect(surge).toBeLessThanOrEqual(plan.perSecond * 2);
  const during = seconds.slice(plan.calmS + 1, plan.calmS + plan.outageS);
  expect(Math.max(...during.map(({ inFlightMax }) => inFlightMax))).toBeLessThanOrEqual(1);
}, 60_000);

test("what fails now and then, whatever it is sent, is sent what it answers, and nobody is needed", async () => {
  const steady = { ...plan, perSecond: 100, load: 0.4, latencyMs: 200, calmS: 30, outageS: 0, afterS: 0 };
  const { started, done, inReview, requests, seconds } = await runOutage({
    ...steady,
    failEvery: 20,
    isLimited: true,
  });
  expect([done, inReview]).toEqual([started, 0]);
  expect(requests).toBeLessThanOrEqual(started * 1.07);
  // Forty start in a second and each takes a fifth of one: eight are under way. A limit that falls with each failure and
  // never rises beside one settles below that, and what waits grows.
  const late = seconds.slice(20, 30).map((second) => second.done);
  expect(late.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(375);
}, 60_000);

test("without the limit the same outage costs a multiple: what is compared with is really without", async () => {
  const { started, requests } = await runOutage({ ...plan, isLimited: false, untilS: 60 });
  expect(requests).toBeGreaterThan(started * 1.5);
}, 60_000);
