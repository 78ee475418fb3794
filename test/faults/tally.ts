/** What came of letting a fault loose: how often, how often it really hit, and what was wrong afterwards. */

/** Sentences of one fault that are kept; the rest are counted. */
const SENTENCES_MAX = 20;

/** The count of some runs of one fault. */
export interface Tally {
  readonly runs: number;
  /** Runs in which the fault was seen to have happened. The others are void. */
  readonly hits: number;
  readonly violations: readonly string[];
}

/** What a round of a fault gave. */
export type Outcome =
  | ({ readonly kind: "ran" } & Tally)
  /** It cannot be made on this machine. */
  | { readonly kind: "skipped"; readonly reason: string };

/** What a round is told. */
export interface RoundInput {
  /** A PostgreSQL server for faults that do not touch the server itself. */
  readonly serverUrl: string;
  /** Decides whatever is left to chance in this round. */
  readonly seed: string;
  /** Decides what is the same for all rounds, such as the order in which places come. */
  readonly commonSeed: string;
  /** From a fault to the moment at which another worker has the case, in ms; a busy machine needs longer for the same. */
  readonly resumedWithinMs: number;
  /** Runs made in earlier rounds. */
  readonly done: number;
  /** Runs still wanted, at least 1; a round may make fewer, and those that come in one piece make more. */
  readonly runs: number;
}

/** A fault that can be let loose. */
export interface Fault {
  /** What kind of fault it is: `--only` of the soak takes it. */
  readonly group: string;
  readonly name: string;
  /** Runs of `npm run soak`. */
  readonly soakRuns: number;
  /** Runs of a sample, as every test run makes one. */
  readonly sampleRuns: number;
  readonly round: (input: RoundInput) => Promise<Outcome>;
}

/** What a run of a fault is told: as a round is, with the seed of all rounds. */
export type RunInput = Pick<RoundInput, "serverUrl" | "seed" | "runs" | "resumedWithinMs">;

/** A round that was run. */
export function ran(runs: number, hits: number, violations: readonly string[]): Outcome {
  return { kind: "ran", runs, hits, violations };
}

/**
 * Runs a fault, round by round, until it was run often enough. A void run is a violation: it proves nothing. So is a round
 * that does not come to its end; it is the last one.
 */
export async function runFault(
  { name, round }: Fault,
  { serverUrl, seed, runs, resumedWithinMs }: RunInput,
  onRound: (tally: Tally) => void = () => undefined,
): Promise<Outcome> {
  let tally: Tally = { runs: 0, hits: 0, violations: [] };
  for (let index = 1; tally.runs < runs; index += 1) {
    const roundSeed = `${seed} ${name} ${index}`;
    const rest = { done: tally.runs, runs: runs - tally.runs };
    const made = await tryRound(round, {
      serverUrl,
      seed: roundSeed,
      commonSeed: seed,
      resumedWithinMs,
      ...rest,
    });
    if (made.kind === "skipped") return made;
    const found = made.violations.map((what) => `[${roundSeed}] ${what}`);
    tally = {
      runs: tally.runs + made.runs,
      hits: tally.hits + made.hits,
      violations: [...tally.violations, ...found],
    };
    onRound(tally);
    if (made.isLast) break;
  }
  return { kind: "ran", ...tally };
}

type Made =
  (Tally & { readonly kind: "made"; readonly isLast: boolean }) | Extract<Outcome, { kind: "skipped" }>;

async function tryRound(round: Fault["round"], input: RoundInput): Promise<Made> {
  try {
    const outcome = await round(input);
    if (outcome.kind === "skipped") return outcome;
    const { runs, hits, violations } = outcome;
    if (runs < 1) throw new Error("it made no run");
    const empty = hits < runs ? [`${runs - hits} of ${runs} runs were void`] : [];
    return { kind: "made", runs, hits, violations: [...empty, ...violations], isLast: false };
  } catch (error) {
    const what = `it did not come to its end: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: "made", runs: 1, hits: 0, violations: [what], isLast: true };
  }
}

/** The first of the violations, for people. */
export function tellViolations(violations: readonly string[]): readonly string[] {
  const more = violations.length - SENTENCES_MAX;
  return [...violations.slice(0, SENTENCES_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
}
