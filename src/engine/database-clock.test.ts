import { expect, test } from "vitest";
import { DatabaseClock } from "./database-clock.ts";
import { ManualClock } from "./manual-clock.fixture.ts";

test("before the first reading it is this machine's wall clock, in whole ms", () => {
  const clock = new ManualClock();
  clock.jumpWall(0.75);
  expect(new DatabaseClock(clock).now()).toBe(Math.floor(clock.now()));
});

test("after a reading it runs on from there with the monotonic clock", async () => {
  const clock = new ManualClock();
  const databaseClock = new DatabaseClock(clock);
  databaseClock.follow(1_000_000, clock.monotonic());
  await clock.advance(250);
  expect(databaseClock.now()).toBe(1_000_250);
});

test("a jump of this machine's wall clock changes nothing", () => {
  const clock = new ManualClock();
  const databaseClock = new DatabaseClock(clock);
  databaseClock.follow(1_000_000, clock.monotonic());
  clock.jumpWall(86_400_000);
  expect(databaseClock.now()).toBe(1_000_000);
});

test("a later reading takes the place of the one before, also when the database's clock was set back", async () => {
  const clock = new ManualClock();
  const databaseClock = new DatabaseClock(clock);
  databaseClock.follow(1_000_000, clock.monotonic());
  await clock.advance(500);
  databaseClock.follow(900_000, clock.monotonic());
  expect(databaseClock.now()).toBe(900_000);
});

test("an answer that came late changes nothing: it runs no further behind than the quickest answer's way back", async () => {
  const clock = new ManualClock();
  const databaseClock = new DatabaseClock(clock);
  databaseClock.follow(1_000_000, clock.monotonic());
  const askedAt = clock.monotonic();
  await clock.advance(6_500);
  databaseClock.follow(1_000_010, askedAt);
  expect(databaseClock.now()).toBe(1_006_500);
});

test("a quick answer mends what a late one left behind", async () => {
  const clock = new ManualClock();
  const databaseClock = new DatabaseClock(clock);
  const askedAt = clock.monotonic();
  await clock.advance(6_500);
  databaseClock.follow(1_000_000, askedAt);
  expect(databaseClock.now()).toBe(1_000_000);
  databaseClock.follow(1_006_500, clock.monotonic());
  expect(databaseClock.now()).toBe(1_006_500);
});
