/** Every fault that is let loose on real processes and a real database. */

import { stepClock } from "./clock-steps.ts";
import { fillDisk } from "./disk-full.ts";
import { endAtPairs, endAtPlaces, PLACE_COUNT } from "./failpoints.ts";
import { KIND_NAMES } from "./kinds.ts";
import { cutCommits, silenceWorker } from "./lines.ts";
import { makeCollisions, refuseConnections, timeOutStatements } from "./refusals.ts";
import { harmServer } from "./servers.ts";
import { blockLoop, exhaustFiles, exhaustMemory } from "./starved.ts";
import type { Fault } from "./tally.ts";
import { wakeZombies } from "./zombies.ts";

const failpoints: readonly Fault[] = [
  {
    group: "failpoints",
    name: "kill -9 at every failpoint",
    soakRuns: 5 * PLACE_COUNT,
    sampleRuns: 48,
    round: (input) => endAtPlaces("kill", input),
  },
  {
    group: "failpoints",
    name: "SIGSTOP at every failpoint",
    soakRuns: 5 * PLACE_COUNT,
    sampleRuns: 48,
    round: (input) => endAtPlaces("stop", input),
  },
  { group: "pairs", name: "pairs of failpoints", soakRuns: 200, sampleRuns: 20, round: endAtPairs },
];

const zombies: readonly Fault[] = [
  ...KIND_NAMES.map((kind): Fault => ({
    group: "zombies",
    name: `late workers at ${kind}`,
    soakRuns: 100,
    sampleRuns: 20,
    round: (input) => wakeZombies(kind, "whenAllIsOver", input),
  })),
  {
    group: "zombies",
    name: "late workers at lookup, within the deadline",
    soakRuns: 100,
    sampleRuns: 20,
    round: (input) => wakeZombies("lookup", "withinDeadline", input),
  },
];

const lines: readonly Fault[] = [
  {
    group: "lines",
    name: "commits whose answer is lost",
    soakRuns: 1_000,
    sampleRuns: 60,
    round: (input) => cutCommits("loseReply", input),
  },
  {
    group: "lines",
    name: "commits that are cut off",
    soakRuns: 500,
    sampleRuns: 30,
    round: (input) => cutCommits("cutBefore", input),
  },
  { group: "lines", name: "half-open connections", soakRuns: 5, sampleRuns: 1, round: silenceWorker },
];

const servers: readonly Fault[] = [
  {
    group: "servers",
    name: "postmaster killed and started",
    soakRuns: 20,
    sampleRuns: 3,
    round: (input) => harmServer("postmasterKilled", input),
  },
  {
    group: "servers",
    name: "fast restarts",
    soakRuns: 20,
    sampleRuns: 3,
    round: (input) => harmServer("restarted", input),
  },
  {
    group: "servers",
    name: "server processes killed",
    soakRuns: 20,
    sampleRuns: 3,
    round: (input) => harmServer("backendKilled", input),
  },
  {
    group: "servers",
    name: "server processes stopped",
    soakRuns: 10,
    sampleRuns: 1,
    round: (input) => harmServer("backendStopped", input),
  },
  {
    group: "servers",
    name: "sessions terminated",
    soakRuns: 50,
    sampleRuns: 5,
    round: (input) => harmServer("backendsTerminated", input),
  },
  {
    group: "disks",
    name: "disk of the tables full",
    soakRuns: 3,
    sampleRuns: 1,
    round: () => fillDisk("tables"),
  },
  { group: "disks", name: "disk of the log full", soakRuns: 3, sampleRuns: 1, round: () => fillDisk("log") },
];

const refusals: readonly Fault[] = [
  {
    group: "refusals",
    name: "no connection left",
    soakRuns: 3,
    sampleRuns: 1,
    round: refuseConnections,
  },
  {
    group: "refusals",
    name: "statements time out",
    soakRuns: 10,
    sampleRuns: 1,
    round: timeOutStatements,
  },
  {
    group: "refusals",
    name: "deadlocks and failed serializations",
    soakRuns: 200,
    sampleRuns: 20,
    round: makeCollisions,
  },
];

const workers: readonly Fault[] = [
  {
    group: "clocks",
    name: "clock steps one hour ahead",
    soakRuns: 3,
    sampleRuns: 1,
    round: (input) => stepClock(1, input),
  },
  {
    group: "clocks",
    name: "clock steps one hour back",
    soakRuns: 3,
    sampleRuns: 1,
    round: (input) => stepClock(-1, input),
  },
  {
    group: "starved",
    name: "event loop blocked past the lease",
    soakRuns: 10,
    sampleRuns: 1,
    round: blockLoop,
  },
  { group: "starved", name: "memory used up", soakRuns: 5, sampleRuns: 1, round: exhaustMemory },
  { group: "starved", name: "no files left to open", soakRuns: 5, sampleRuns: 1, round: exhaustFiles },
];

/** All of them. */
export const FAULTS: readonly Fault[] = [
  ...failpoints,
  ...zombies,
  ...lines,
  ...servers,
  ...refusals,
  ...workers,
];
