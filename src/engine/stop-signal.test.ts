import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { sharedAbort, StopSignal } from "./stop-signal.ts";

describe("a stop signal", () => {
  test("aborts with the reason of the first source that aborts, and names that one as the cause", () => {
    const [lease, kill] = [new AbortController(), new AbortController()];
    const stop = new StopSignal([
      { signal: lease.signal, cause: "lease" },
      { signal: kill.signal, cause: "shutdown" },
    ]);
    const reason = new Error("the lease is over");
    lease.abort(reason);
    kill.abort(new Error("later"));
    expect(stop.signal.reason).toBe(reason);
    expect(stop.release()).toBe("lease");
  });

  test("is aborted from the start when a source already is", () => {
    const kill = AbortSignal.abort(new Error("gone"));
    const stop = new StopSignal([{ signal: kill, cause: "shutdown" }]);
    expect(stop.signal.aborted).toBe(true);
    expect(stop.release()).toBe("shutdown");
  });

  test("can be stopped by hand, once", () => {
    const stop = new StopSignal<"deadline" | "other">([]);
    stop.stop("deadline", new Error("too long"));
    stop.stop("other", new Error("again"));
    expect(stop.release()).toBe("deadline");
  });

  test("lets go of its sources when its task has ended, and is not aborted by them afterwards", () => {
    const kill = sharedAbort();
    const stops = Array.from(
      { length: 50 },
      () => new StopSignal([{ signal: kill.signal, cause: "shutdown" }]),
    );
    expect(getEventListeners(kill.signal, "abort")).toHaveLength(50);
    expect(stops.map((stop) => stop.release())).toEqual(stops.map(() => null));
    expect(getEventListeners(kill.signal, "abort")).toHaveLength(0);
    kill.abort(new Error("later"));
    expect(stops.some(({ signal }) => signal.aborted)).toBe(false);
  });
});
