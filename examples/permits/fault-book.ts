import { appendFileSync, readFileSync } from "node:fs";
import type { Failpoint } from "foothold";

/** A worker that is about to be killed or stopped, by itself, at a failpoint of a step. */
export interface BookedFault {
  readonly act: "kill" | "stop";
  readonly point: Failpoint;
  readonly caseId: string;
  readonly step: string;
  readonly attempt: number;
  readonly worker: string;
  readonly pid: number;
}

/** A fault that is to happen once, to whichever worker comes there first. */
export type PlannedFault = Pick<BookedFault, "act" | "point" | "caseId" | "step">;

/**
 * Enters a fault before it happens. The file is the one truth about what happened already, for all processes: a
 * line is in it whole when this returns, and stays when the process dies right after.
 */
export function bookFault(file: string, fault: BookedFault): void {
  appendFileSync(file, `${JSON.stringify(fault)}\n`);
}

/** All faults so far, in order. A file that is not there yet holds none. */
export function readFaultBook(file: string): readonly BookedFault[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  // Every line was written by bookFault.
  return whole.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as BookedFault]));
}
