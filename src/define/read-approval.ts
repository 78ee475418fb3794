/** Reads what only an approval has: whom it is asked of, what the answer carries, and when others are told. */

import type { ApprovalStepOutline } from "../core/outline.ts";
import type { RuntimeStep } from "./case-type.ts";
import { describeDuration } from "./duration.ts";
import type { Sight } from "./in-sight.ts";
import type { OptionReader } from "./option-reader.ts";
import { conditionsOf, outlineOf, type Following } from "./read-following.ts";

/** The names of its own options. */
export const APPROVAL_OPTIONS = ["by", "form", "expires", "remind", "escalate"] as const;

/** An owner is told again at most so often, in ms. */
const REMIND_MS_MIN = 60_000;

/** Reads them and notes their faults. */
export function readApproval(options: OptionReader, following: Following): (sight: Sight) => RuntimeStep {
  const by = options.text("by", "whom it is asked of");
  const form = options.optionalSchema("form");
  const expiresMs = optionalDuration(options, "expires", 1);
  const telling = { ...readRemind(options, expiresMs), ...readEscalate(options, by, expiresMs) };
  return (sight) => ({
    kind: "approval",
    outline: { kind: "approval", ...outlineOf(following, sight), by, expiresMs, ...telling },
    ...conditionsOf(following, sight),
    form,
  });
}

function optionalDuration(options: OptionReader, name: string, minMs: number): number | null {
  return options.value(name) === undefined ? null : options.duration(name, { defaultMs: null, minMs });
}

function readRemind(options: OptionReader, expiresMs: number | null): Pick<ApprovalStepOutline, "remindMs"> {
  const remindMs = optionalDuration(options, "remind", REMIND_MS_MIN);
  if (remindMs === null) return {};
  checkBefore(options, "remind", remindMs, expiresMs);
  return { remindMs };
}

function readEscalate(
  options: OptionReader,
  by: string,
  expiresMs: number | null,
): Pick<ApprovalStepOutline, "escalate"> {
  if (options.value("escalate") === undefined) return {};
  const escalate = options.nested("escalate", ["to", "after"]);
  const to = escalate.text("to", "who is asked too");
  const afterMs = escalate.duration("after", { defaultMs: null, minMs: 1 });
  if (to !== "" && to === by) escalate.fault("to", `names ${to}, of whom it is asked from the beginning`);
  checkBefore(escalate, "after", afterMs, expiresMs);
  return { escalate: { to, afterMs } };
}

/** What comes when it has expired comes never. */
function checkBefore(options: OptionReader, name: string, ms: number, expiresMs: number | null): void {
  if (expiresMs === null || ms < expiresMs) return;
  options.fault(
    name,
    `comes after ${describeDuration(ms)}, and the approval expires after ${describeDuration(expiresMs)}: make it shorter`,
  );
}
