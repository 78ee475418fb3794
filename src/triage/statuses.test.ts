import { describe, expect, test } from "vitest";
import type { Executed, FailureKind } from "../core/failure.ts";
import { meaningOf } from "./statuses.ts";

describe("a status outside 2xx says why it failed and whether it happened", () => {
  test.each<[FailureKind, Executed, readonly number[]]>([
    ["rejected", "no", [400, 413, 422]],
    ["denied", "no", [401, 403, 407, 451, 511]],
    ["quota", "no", [402]],
    ["gone", "no", [404, 410]],
    ["conflict", "no", [409]],
    ["precondition", "no", [412]],
    ["throttled", "no", [420, 429, 529]],
    ["transient", "no", [421, 423, 424, 425, 521, 523]],
    ["bug", "no", [405, 406, 411, 414, 415, 428, 431, 501, 505, 525, 526]],
    // A gateway may have lost the answer of work that was done; a proxy may time a request out that had arrived.
    ["transient", "maybe", [408, 500, 502, 503, 504, 520, 522, 524]],
    ["stopped", "maybe", [460, 499]],
    // Part of the work may be done by the time that these are found out, and all of it where another page is named.
    ["transient", "maybe", [507]],
    ["bug", "maybe", [302, 303, 508]],
  ])("%s, executed %s: %j", (kind, executed, statuses) => {
    expect(statuses.map(meaningOf)).toMatchObject(statuses.map(() => ({ cause: kind, executed })));
  });

  test("an unlisted one is judged by its class; what is not known to be refused may have happened", () => {
    expect(meaningOf(307)).toEqual({ cause: "bug", executed: "no" });
    expect(meaningOf(418)).toEqual({ cause: "rejected", executed: "no" });
    for (const status of [530, 555, 598, 599]) {
      expect(meaningOf(status)).toEqual({ cause: "transient", executed: "maybe" });
    }
  });
});
