import { expect, test } from "vitest";
import { ManualClock, settle } from "./manual-clock.fixture.ts";
import { Wake } from "./wake.ts";

function watched(promise: Promise<void>): { readonly isOver: () => boolean } {
  let isOver = false;
  void promise.then(() => (isOver = true));
  return { isOver: () => isOver };
}

test("a wait ends when its time has passed", async () => {
  const clock = new ManualClock();
  const wait = watched(new Wake(clock).wait(1_000));
  await clock.advance(999);
  expect(wait.isOver()).toBe(false);
  await clock.advance(1);
  expect(wait.isOver()).toBe(true);
});

test("a ring ends the wait under way, and leaves no timer", async () => {
  const clock = new ManualClock();
  const wake = new Wake(clock);
  const wait = watched(wake.wait(1_000));
  wake.ring();
  await settle();
  expect(wait.isOver()).toBe(true);
  expect(clock.sleepers).toBe(0);
});

test("a ring while nobody waits ends the next wait at once, and only that one", async () => {
  const clock = new ManualClock();
  const wake = new Wake(clock);
  wake.ring();
  wake.ring();
  await wake.wait(1_000);
  const wait = watched(wake.wait(1_000));
  await settle();
  expect(wait.isOver()).toBe(false);
  await clock.advance(1_000);
  expect(wait.isOver()).toBe(true);
});
