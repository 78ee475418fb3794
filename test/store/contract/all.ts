import type { Bench } from "./contract.ts";
import { testClaims } from "./claims.ts";
import { testCommits } from "./commits.ts";
import { testStarts } from "./starts.ts";

/** What every store promises. */
export function testContract(bench: Bench): void {
  testStarts(bench);
  testClaims(bench);
  testCommits(bench);
}
