/** Reads `undo`: a step of its own that takes back what its step did. */

import { invariant } from "../core/errors.ts";
import type { DestinationOutline, SendStepOutline } from "../core/outline.ts";
import { needsCheck } from "../core/repeat-safety.ts";
import { undoName } from "../core/undo.ts";
import { readCheckReply } from "./answers.ts";
import type { RuntimeSendStep, UndoneEffect } from "./case-type.ts";
import type { DestinationReading } from "./destination.ts";
import { checkUndoRunBy } from "./read-elsewhere.ts";
import { inSight, type Sight } from "./in-sight.ts";
import type { OptionReader } from "./option-reader.ts";
import { DEADLINE_MS_MAX, type ConditionReading } from "./read-conditions.ts";

/** What an undo has from the step whose effect it takes back. */
interface Undone {
  readonly step: string;
  readonly destination: DestinationOutline;
  /** How failures of both are sorted. */
  readonly sorting: Pick<DestinationReading, "sorters" | "isHttpAlone">;
  readonly version: ConditionReading | null;
  readonly deadlineMs: number;
  /** Who runs that step elsewhere; null = this process does. */
  readonly runBy: string | null;
}

/** An undo as read. */
interface UndoReading {
  readonly outline: SendStepOutline;
  readonly runtime: (sight: Sight) => RuntimeSendStep;
}

/** Reads the undo of a step and notes its faults; null where there is none, or after a fault. */
export function readUndo(options: OptionReader, undone: Undone): UndoReading | null {
  if (options.value("undo") === undefined) return null;
  const { step, destination, sorting, version, deadlineMs, runBy } = undone;
  const undo = options.nested("undo", ["run", "check", "deadline"]);
  const run = undo.requiredFunction("run", "takes the effect back");
  const check = undo.optionalFunction("check");
  const limitMs = undo.duration("deadline", { defaultMs: deadlineMs, minMs: 1, maxMs: DEADLINE_MS_MAX });
  if (needsCheck(destination.repeatSafety) && undo.value("check") === undefined) {
    undo.fault(
      "check",
      `is missing: ${destination.name} must be able to say whether the effect was taken back`,
    );
  }
  checkUndoRunBy(undo, runBy);
  if (run === null) return null;
  const before = version === null ? [] : [version];
  const outline: SendStepOutline = {
    kind: "step",
    name: undoName(step),
    formerly: [],
    after: [],
    closure: [],
    when: [],
    requires: [],
    uses: [],
    destination,
    before: before.map((one) => one.outline),
    hasRequest: true,
    hasCheck: check !== null,
    deadlineMs: limitMs,
    versionCondition: version?.outline.name ?? null,
    onLapse: "review",
    undo: null,
    ...(runBy === null ? {} : { runBy }),
  };
  return {
    outline,
    runtime: (sight) => ({
      kind: "step",
      outline,
      when: [],
      requires: [],
      before: before.map(({ runtime }) => runtime(sight)),
      request: null,
      run: async (context, effect) => run({ ...inSight(context, sight), ...given(effect, step) }),
      check:
        check === null
          ? null
          : async (context, effect) =>
              readCheckReply(await check({ ...inSight(context, sight), ...given(effect, step) })),
      undo: null,
      ...sorting,
      result: null,
    }),
  };
}

/** A copy: what the author's function does to it changes nothing of the case. */
function given(effect: UndoneEffect | undefined, step: string): UndoneEffect {
  invariant(effect !== undefined, `the undo of ${step} was not told what it takes back`);
  return structuredClone(effect);
}
