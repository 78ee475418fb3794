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

test("without the limit the same outage costs a multiple: what is compared with is really without", async () => {
  const { started, requests } = await runOutage({ ...plan, isLimited: false, untilS: 60 });
  expect(requests).toBeGreaterThan(started * 1.5);
}, 60_000);
