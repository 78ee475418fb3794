import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { invariant } from "../../core/errors.ts";
import { isErrno } from "./folder-error.ts";
import { readStartMark } from "./processes.ts";

/** One entry of this process in a folder of presences. */
export interface Presence {
  readonly name: string;
  /** Removes the entry; safe to call twice. */
  leave(): void;
}

const enteredCountMax = 1_000_000;
let enteredCount = 0;

/**
 * Notes in `folder` that this process is here, until `leave` or until it is gone. The note is the name of an empty file:
 * process id, start mark, number. So it is there at once and whole, and no name is ever used again: whoever finds the note
 * of a dead process may remove it without asking anybody.
 */
export function enter(folder: string): Presence {
  const startMark = readStartMark(process.pid) ?? "0";
  for (;;) {
    enteredCount += 1;
    invariant(enteredCount < enteredCountMax, `${enteredCountMax} presences were entered by one process`);
    const name = `${process.pid}-${startMark}-${enteredCount}`;
    const path = join(folder, name);
    if (createNew(path)) return { name, leave: () => rmSync(path, { force: true }) };
  }
}

/** False if the file is there already: a second copy of this module in our process counts for itself. */
function createNew(path: string): boolean {
  try {
    closeSync(openSync(path, "wx"));
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  }
}

/** Process ids of the living entries in `folder`, `own` left out; entries of dead processes are removed. */
export function listPresent(folder: string, own?: Presence): readonly number[] {
  const present: number[] = [];
  for (const name of readdirSync(folder)) {
    if (name === own?.name) continue;
    const [pid, startMark] = name.split("-");
    if (readStartMark(Number(pid)) === startMark) present.push(Number(pid));
    else rmSync(join(folder, name), { force: true });
  }
  return present;
}
