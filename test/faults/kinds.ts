/** What a destination can do about a repeat: one row for each kind, for the definitions, the destination and the judge. */

import type { Duration } from "../../src/define/duration.ts";
import type { Idempotency } from "../../src/define/destination.ts";

/** One kind of destination. */
interface KindRow {
  readonly idempotency: Idempotency;
  /** It never executes one intent version twice, whatever arrives and however late. */
  readonly isOnce: boolean;
  /** What the engine may do by itself about an attempt of which nobody knows what became of it. */
  readonly afterUnknown: "resends" | "asks" | "stops";
  /** A question is answered before each first attempt, so that it is opened with that answer. */
  readonly opensAfterQuestion: boolean;
  /** How long one send may take: short where the engine waits it out before it believes a "not found". */
  readonly deadline: Duration;
}

const PLAIN = { opensAfterQuestion: false, deadline: "30s" } as const;

const rows = {
  key: { ...PLAIN, idempotency: { by: "key", window: "24h" }, isOnce: true, afterUnknown: "resends" },
  unique: { ...PLAIN, idempotency: { by: "unique" }, isOnce: true, afterUnknown: "resends" },
  "if-match": {
    ...PLAIN,
    idempotency: { by: "if-match" },
    isOnce: true,
    afterUnknown: "resends",
    opensAfterQuestion: true,
  },
  fence: { ...PLAIN, idempotency: { by: "fence" }, isOnce: true, afterUnknown: "asks" },
  transaction: { ...PLAIN, idempotency: { by: "transaction" }, isOnce: true, afterUnknown: "resends" },
  lookup: { ...PLAIN, idempotency: { by: "lookup" }, isOnce: false, afterUnknown: "asks", deadline: "5s" },
  none: { ...PLAIN, idempotency: { by: "none" }, isOnce: false, afterUnknown: "stops" },
} as const satisfies Record<string, KindRow>;

/** The name of a kind. */
export type KindName = keyof typeof rows;

/** Every kind. */
export const KINDS: Readonly<Record<KindName, KindRow>> = rows;

/** The names of every kind. */
export const KIND_NAMES: readonly KindName[] = [
  "key",
  "unique",
  "if-match",
  "fence",
  "transaction",
  "lookup",
  "none",
];

/** The kind of a case type, by its name: that of the kind, or that and a number behind `_`. */
export function kindOf(caseType: string): KindName {
  const [name] = caseType.split("_");
  const kind = KIND_NAMES.find((one) => one === name);
  if (kind === undefined) throw new Error(`${caseType} is no case type of the fault tests`);
  return kind;
}
