/**
 * The table of labels: what triage must say about a failure that a client reports. It was written before the code that
 * meets it. One row stands for one label per client, method and kind of evidence that it names.
 */

import type { Executed, FailureKind } from "../../../src/core/failure.ts";

/** What the wire showed of the attempt, beside what the error says. */
export type Shown =
  /** Nothing was measured. */
  | "unseen"
  /** What really went over the wire. */
  | "wire"
  /** The same, after an earlier request of the same attempt that was sent whole and never answered. */
  | "after a lost one";

/** One label. */
export interface Label {
  readonly client: string;
  /** What the other side did, or the shape of an error that was built by hand. */
  readonly situation: string;
  readonly method: string;
  readonly shown: Shown;
  readonly expected: Expected;
}

/** What triage must say. What a label does not name is not judged by it. */
export interface Expected {
  readonly kind: FailureKind;
  readonly executed: Executed;
  /** The kind behind it where that is another one. */
  readonly cause?: string;
  readonly owner?: string;
  readonly scope?: string;
  readonly access?: string;
  /** Seconds from now before which nothing may be sent, or `never`. */
  readonly wait?: string;
}

const NAMED = ["cause", "owner", "scope", "access", "wait"] as const;
const KINDS: readonly string[] =
  "transient throttled quota unknown rejected denied conflict precondition gone bug stopped".split(" ");
const EXECUTED: readonly string[] = ["no", "maybe", "yes", "partial"];

/**
 * A row. `clients` and `methods` are names between spaces; `verdict` is a kind, whether it happened, and what else must
 * hold: `denied no access=revoked`.
 */
export function label(
  clients: string,
  situation: string,
  methods: string,
  shown: Shown | readonly Shown[],
  verdict: string,
): readonly Label[] {
  const expected = readVerdict(verdict);
  return clients
    .split(" ")
    .flatMap((client) => methods.split(" ").map((method) => ({ client, method })))
    .flatMap(({ client, method }) =>
      [shown].flat().map((one) => ({ client, situation, method, shown: one, expected })),
    );
}

function readVerdict(verdict: string): Expected {
  const [kind = "", executed = "", ...rest] = verdict.split(" ");
  if (!KINDS.includes(kind) || !EXECUTED.includes(executed)) throw new Error(`no verdict: ${verdict}`);
  const named: Record<string, string> = {};
  for (const part of rest) {
    const [name = "", value = ""] = part.split("=");
    if (!NAMED.some((known) => known === name)) throw new Error(`no such part of a verdict: ${part}`);
    named[name] = value;
  }
  // Both are members of their unions: judged above.
  return { ...named, kind: kind as FailureKind, executed: executed as Executed };
}

/** One line that tells a label from all others. */
export function titleOf({ client, situation, method, shown }: Label): string {
  return `${client}, ${method}, ${situation}, ${shown}`;
}
