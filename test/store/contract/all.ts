import { testAudit } from "./audit.ts";
import { testBulk } from "./bulk.ts";
import { testChildren } from "./children.ts";
import { testChanges } from "./changes.ts";
import { testClaims } from "./claims.ts";
import { testCommits } from "./commits.ts";
import type { Bench } from "./contract.ts";
import { testCredentials } from "./credentials.ts";
import { testCriteria } from "./criteria.ts";
import { testDestinations } from "./destinations.ts";
import { testFailovers } from "./failovers.ts";
import { testHolders } from "./holders.ts";
import { testLists } from "./lists.ts";
import { testMilestones } from "./milestones.ts";
import { testNotices } from "./notices.ts";
import { testPeople } from "./people.ts";
import { testRebuilds } from "./rebuilds.ts";
import { testSamples } from "./samples.ts";
import { testSeconds } from "./seconds.ts";
import { testSnapshots } from "./snapshots.ts";
import { testStarts } from "./starts.ts";
import { testTurns } from "./turns.ts";
import { testStepTransactions } from "./step-transactions.ts";

/** What every store promises. */
export function testContract(bench: Bench): void {
  testStarts(bench);
  testTurns(bench);
  testClaims(bench);
  testCommits(bench);
  testStepTransactions(bench);
  testChildren(bench);
  testChanges(bench);
  testCredentials(bench);
  testFailovers(bench);
  testHolders(bench);
  testDestinations(bench);
  testLists(bench);
  testCriteria(bench);
  testPeople(bench);
  testRebuilds(bench);
  testSnapshots(bench);
  testBulk(bench);
  testAudit(bench);
  testNotices(bench);
  testMilestones(bench);
  testSamples(bench);
  testSeconds(bench);
}
