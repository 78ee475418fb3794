/** The ledger of the outside world: what was really asked, and what really happened. */

import { z } from "zod";
import { startOwnProcess } from "../setup/own-process.ts";

const ledgerLine = z.object({
  path: z.string(),
  /** `CASE.STEP.VERSION`. */
  key: z.string(),
  token: z.number(),
  /** True if it was executed; false if it was taken for one that was. */
  isNew: z.boolean(),
});
const ledgerLines = z.object({ lines: z.array(ledgerLine) });

/** One request that arrived. */
export type LedgerLine = Readonly<z.infer<typeof ledgerLine>>;

/** The destination of a run, in a process of its own. */
export interface Ledger {
  readonly url: string;
  /** Every request so far, in the order in which they arrived. */
  read(): Promise<readonly LedgerLine[]>;
  /** From now on it takes this long to answer, in ms. */
  answerAfter(delayMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the destination. */
export async function startLedger(): Promise<Ledger> {
  const process = startOwnProcess(new URL("destination-process.ts", import.meta.url));
  const url = `http://127.0.0.1:${await process.nextLine()}`;
  const known: LedgerLine[] = [];
  return {
    url,
    read: async () => {
      const from = known.length;
      const { lines } = ledgerLines.parse(await (await fetch(`${url}/ledger?from=${from}`)).json());
      // Two readers at a time get the same lines.
      known.push(...lines.slice(known.length - from));
      return [...known];
    },
    answerAfter: async (delayMs) => {
      await (await fetch(`${url}/ledger/answer-after?ms=${delayMs}`, { method: "POST" })).text();
    },
    stop: () => process.end(),
  };
}
