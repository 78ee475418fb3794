import { expect, test } from "vitest";
import type { StoredHolder } from "../store/port.ts";
import { newBuildFor } from "./new-build.ts";

const NOW = 1_000_000;
const STOPPED_AT = 500_000;
const bug = { kind: "bug", caseType: "purchase", lastSinceAt: STOPPED_AT } as const;

function worker(build: string, startedAt: number, over: Partial<StoredHolder> = {}): StoredHolder {
  return {
    holderId: `${build}-${startedAt}`,
    kind: "worker",
    name: "w",
    host: "here",
    build,
    leaseMs: 10_000,
    beatAt: NOW,
    endedAt: null,
    beat: 1,
    startedAt,
    caseTypes: [{ name: "purchase", version: 1 }],
    destinations: [],
    ...over,
  };
}

const ended = { endedAt: 600_000 };

test("a build that was started after the last case stopped may have mended a bug", () => {
  const holders = [worker("2", 800_000), worker("2", 700_000), worker("1", 100_000, ended)];
  expect(newBuildFor(bug, holders, NOW)).toEqual({ build: "2", sinceAt: 700_000 });
});

test.each<[string, Partial<typeof bug> | { readonly kind: "rejected" }, readonly StoredHolder[]]>([
  ["what is no bug of ours", { kind: "rejected" }, [worker("2", 700_000), worker("1", 1, ended)]],
  ["the build that ran then, started anew", {}, [worker("1", 700_000), worker("1", 1, ended)]],
  ["an old worker that still runs", {}, [worker("2", 700_000), worker("1", 1)]],
  ["a build under which cases stopped too", {}, [worker("2", 400_000), worker("1", 1, ended)]],
  ["workers of that time that nobody knows any more", {}, [worker("2", 700_000)]],
  ["no worker that runs", {}, [worker("2", 700_000, ended), worker("1", 1, ended)]],
  [
    "workers that do not take these cases",
    {},
    [worker("2", 700_000, { caseTypes: [{ name: "refund", version: 1 }] }), worker("1", 1, ended)],
  ],
  ["people's pages", {}, [worker("2", 700_000, { kind: "page" }), worker("1", 1, ended)]],
])("nothing is offered for %s", (_, over, holders) => {
  expect(newBuildFor({ ...bug, ...over }, holders, NOW)).toBeNull();
});
