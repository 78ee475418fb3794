/**
 * Samples how cases stand and what destinations take, for pictures over time. One process of all does it at a time: whoever
 * takes the turn. A process that dies in between leaves a gap, and nothing else.
 */

import type { StateSample, StepCounts } from "../store/sample-port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { readDestinations } from "./destinations.ts";

/** How often a sample is taken, in ms. */
export const SAMPLE_EVERY_MS = 300_000;
/** How often a process asks whether it is its turn, in ms. */
const ASK_EVERY_MS = 15_000;
/** How long samples are kept, in ms: 2,304 of them. */
const KEEP_MS = 8 * 86_400_000;

/** Takes samples from time to time. */
export interface Sampler {
  start(): void;
  /** Ends after the sample under way. Safe twice. */
  stop(): Promise<void>;
  /** Takes one if it is this process's turn; true if it did. */
  sampleOnce(): Promise<boolean>;
}

/** Makes a sampler; nothing runs before `start` or `sampleOnce`. */
export function createSampler(
  parts: DeskParts,
  { onError }: { readonly onError: (error: unknown) => void },
): Sampler {
  const { clock } = parts.ports;
  const stopped = new AbortController();
  let loop: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        await sampleOnce(parts);
      } catch (error) {
        onError(error);
      }
      await clock.sleep(ASK_EVERY_MS, stopped.signal);
    }
  };
  return {
    start: () => {
      loop ??= run();
    },
    stop: async () => {
      stopped.abort();
      await loop;
    },
    sampleOnce: () => sampleOnce(parts),
  };
}

async function sampleOnce(parts: DeskParts): Promise<boolean> {
  const { samples } = parts.store;
  if (!(await samples.takeTurn(SAMPLE_EVERY_MS))) return false;
  const steps = await samples.countSteps();
  const { destinations } = await readDestinations(parts);
  await samples.write({
    at: steps.now,
    states: statesOf(steps),
    destinations: destinations.map(({ destination, credentialId, limit, inFlight, heldBack, standing }) => ({
      destination,
      credentialId,
      limit,
      inFlight,
      heldBack,
      standing,
    })),
    isWhole: steps.isWhole,
  });
  await samples.forget(steps.now - KEEP_MS);
  return true;
}

/** The same by type and state, whatever the step. */
export function statesOf({ counts }: StepCounts): readonly StateSample[] {
  const sums = new Map<string, StateSample>();
  for (const { caseType, reading, once, oldestAt } of counts) {
    const key = JSON.stringify([caseType, reading]);
    const known = sums.get(key) ?? { caseType, reading, cases: 0, oldestAt };
    sums.set(key, { ...known, cases: known.cases + once, oldestAt: Math.min(known.oldestAt, oldestAt) });
  }
  return [...sums.values()];
}
