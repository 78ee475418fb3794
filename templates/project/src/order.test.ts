import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { createTestWorld, expectDone, expectReview, expectWaiting } from "foothold/testing";
import { order } from "./order.js";
import { startShop, type Shop } from "./stand-in.js";

let shop: Shop;
beforeEach(async () => {
  shop = await startShop(0);
  process.env["SHOP_URL"] = shop.url;
});
afterEach(() => shop.stop());

test("an order is placed once, although its answer gets lost and a worker dies", async () => {
  const world = createTestWorld({ cases: [order] });
  const caseId = await world.start(order, { item: "desk", price: 480 });
  expectWaiting(await world.runToNextWait(caseId), "approval", "approve");
  await world.approve(caseId, "approve");
  world.loseAnswer("place");
  world.crashAt("beforeConfirm", "announce");
  expectDone(await world.runToEnd(caseId));
  assert.equal([...shop.executed.values()].filter((id) => id.startsWith("O-")).length, 1);
});

test("nobody answers for three days, and a person is told", async () => {
  const world = createTestWorld({ cases: [order] });
  const caseId = await world.start(order, { item: "desk", price: 480 });
  await world.runUntilIdle();
  await world.advance("3d");
  expectReview(await world.journal(caseId), "approve", "expired");
});
