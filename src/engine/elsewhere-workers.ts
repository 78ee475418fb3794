/**
 * What this process knows of each worker elsewhere beside what the store has: which share of its destinations' limits it uses,
 * and which attempts it has open. All of it is help, not truth: after a restart it is known anew.
 */

import type { Ports } from "../core/ports.ts";
import { AttemptGate } from "./attempt-gate.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { CountedAttempt } from "./elsewhere-turn.ts";
import { InFlight } from "./in-flight.ts";
import type { CaseType } from "../define/case-type.ts";
import type { Store } from "../store/port.ts";

/** Workers elsewhere that one process remembers; the one that was silent longest is forgotten first. */
const WORKERS_MAX = 1_000;

/** What one worker elsewhere has under way, as far as this process knows. */
export interface KnownWorker {
  readonly inFlight: InFlight;
  readonly gate: AttemptGate;
  /** By claim. */
  readonly open: Map<string, CountedAttempt>;
}

/** What they are made of. */
export interface KnownWorkersOptions {
  readonly store: Store;
  readonly caseTypes: readonly CaseType[];
  readonly ports: Ports;
  readonly databaseClock: DatabaseClock;
  readonly onHastened: () => void;
  readonly onBug: (error: unknown) => void;
}

/** The workers elsewhere that this process has heard of. */
export class KnownWorkers {
  readonly #options: KnownWorkersOptions;
  readonly #known = new Map<string, KnownWorker>();

  constructor(options: KnownWorkersOptions) {
    this.#options = options;
  }

  /** What is known of a worker, from the first time on that it is heard of. */
  get(holderId: string): KnownWorker {
    const known = this.#known.get(holderId) ?? this.#meet(holderId);
    this.#known.delete(holderId);
    this.#known.set(holderId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > WORKERS_MAX && oldest !== undefined) this.forget(oldest);
    return known;
  }

  /** An attempt ended, or its claim did. */
  ended(holderId: string, claimId: string, result: Parameters<CountedAttempt["left"]>[0]): void {
    const known = this.#known.get(holderId);
    const counted = known?.open.get(claimId);
    known?.open.delete(claimId);
    counted?.left(result);
    counted?.leaveGate();
  }

  /** The worker is gone, and what it had under way with it. */
  forget(holderId: string): void {
    for (const claimId of this.#known.get(holderId)?.open.keys() ?? [])
      this.ended(holderId, claimId, { failure: null, isNothing: true });
    this.#known.delete(holderId);
  }

  #meet(holderId: string): KnownWorker {
    const { store, caseTypes, ports, databaseClock, onHastened, onBug } = this.#options;
    const inFlight = new InFlight({
      store,
      registry: { all: caseTypes },
      ports,
      databaseClock,
      holderId: () => holderId,
      onHastened,
      onBug,
    });
    inFlight.sync();
    return { inFlight, gate: new AttemptGate(), open: new Map() };
  }
}
