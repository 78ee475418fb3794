import { describe, expect, test } from "vitest";
import { Lease } from "./lease.ts";
import { ManualClock } from "./manual-clock.fixture.ts";

const LEASE_MS = 10_000;

function begun(): { clock: ManualClock; lease: Lease } {
  const clock = new ManualClock();
  const lease = new Lease(clock, LEASE_MS);
  lease.extend(lease.mark());
  return { clock, lease };
}

describe("a lease", () => {
  test("is not trusted before its first beat is answered", () => {
    const lease = new Lease(new ManualClock(), LEASE_MS);
    expect(lease.isTrusted()).toBe(false);
    expect(lease.signal.aborted).toBe(true);
  });

  test("is trusted until a fifth before its end, counted from when the beat was sent, not answered", async () => {
    const clock = new ManualClock();
    const lease = new Lease(clock, LEASE_MS);
    const sent = lease.mark();
    await clock.advance(3_000);
    lease.extend(sent);
    await clock.advance(4_999);
    expect(lease.isTrusted()).toBe(true);
    await clock.advance(1);
    expect(lease.isTrusted()).toBe(false);
  });

  test("aborts its signal by itself when trust ends", async () => {
    const { clock, lease } = begun();
    const { signal } = lease;
    await clock.advance(7_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  test("is beaten five times in its length", () => {
    expect(begun().lease.beatEveryMs).toBe(2_000);
  });

  test("ends by the wall clock when that jumps ahead, and the next beat finds it out without being asked", async () => {
    const { clock, lease } = begun();
    const { signal } = lease;
    clock.jumpWall(8_000);
    expect(lease.isTrusted()).toBe(false);

    const other = begun();
    const otherSignal = other.lease.signal;
    other.clock.jumpWall(8_000);
    expect(otherSignal.aborted).toBe(false);
    other.lease.mark();
    expect(otherSignal.aborted).toBe(true);
    expect(signal.aborted).toBe(true);
  });

  test("ends by the monotonic clock when the wall clock is set back", async () => {
    const { clock, lease } = begun();
    clock.jumpWall(-3_600_000);
    await clock.advance(7_999);
    expect(lease.isTrusted()).toBe(true);
    await clock.advance(1);
    expect(lease.isTrusted()).toBe(false);
  });

  test("R7: is known to be over by a process that was stopped, before any of its timers fires", () => {
    const { clock, lease } = begun();
    const { signal } = lease;
    clock.stall(60_000);
    expect(signal.aborted).toBe(false);
    expect(lease.isTrusted()).toBe(false);
    expect(signal.aborted).toBe(true);
  });

  test("that was extended goes on under the same signal", async () => {
    const { clock, lease } = begun();
    const { signal } = lease;
    await clock.advance(6_000);
    lease.extend(lease.mark());
    await clock.advance(7_999);
    expect(lease.isTrusted()).toBe(true);
    expect(lease.signal).toBe(signal);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  test("that comes back opens a new period of trust and leaves the old signal aborted", async () => {
    const { clock, lease } = begun();
    const before = lease.signal;
    await clock.advance(9_000);
    lease.extend(lease.mark());
    expect(lease.isTrusted()).toBe(true);
    expect(before.aborted).toBe(true);
    expect(lease.signal.aborted).toBe(false);
  });

  test("is not brought back by the answer to a beat that was sent too long ago", () => {
    const clock = new ManualClock();
    const lease = new Lease(clock, LEASE_MS);
    const sent = lease.mark();
    clock.stall(8_000);
    lease.extend(sent);
    expect(lease.isTrusted()).toBe(false);
    expect(lease.signal.aborted).toBe(true);
  });

  test("that was ended is over for good, also when a beat is answered afterwards", async () => {
    const { clock, lease } = begun();
    const sent = lease.mark();
    lease.end();
    expect(lease.isTrusted()).toBe(false);
    lease.extend(sent);
    expect(lease.isTrusted()).toBe(false);
    expect(lease.signal.aborted).toBe(true);
    await clock.advance(20_000);
    expect(clock.sleepers).toBe(0);
  });

  test("leaves one timer behind, however often it is extended", () => {
    const { clock, lease } = begun();
    for (let beats = 0; beats < 50; beats += 1) lease.extend(lease.mark());
    expect(clock.sleepers).toBe(1);
  });
});
