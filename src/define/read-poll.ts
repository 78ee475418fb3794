/** Reads a poll: its options become an outline without functions, and a look that sees what it may. */

import { LOOK_AGAIN_MS_MIN, readLookReply } from "./answers.ts";
import type { RuntimePollStep } from "./case-type.ts";
import { inSight, type Sight } from "./in-sight.ts";
import type { OptionReader } from "./option-reader.ts";
import { DEADLINE_MS_MAX, type ReadDestination } from "./read-conditions.ts";
import { conditionsOf, outlineOf, type Following } from "./read-following.ts";

/** From one look to the next where neither the step nor the answer says, in ms. */
const EVERY_MS = 60_000;

/** Reads a poll and notes its faults; null after one that leaves nothing to make. */
export function readPoll(
  options: OptionReader,
  following: Following,
  readDestination: ReadDestination,
): ((sight: Sight) => RuntimePollStep) | null {
  const destination = readDestination(options.value("of"));
  if (destination === null)
    options.fault("of", "must be the destination that is looked at, of defineDestination");
  const look = options.requiredFunction("look", "looks");
  const everyMs = options.duration("every", { defaultMs: EVERY_MS, minMs: LOOK_AGAIN_MS_MIN });
  const timeoutMs = options.duration("timeout", { defaultMs: null, minMs: 1 });
  const deadlineMs = options.duration("deadline", { defaultMs: 30_000, minMs: 1, maxMs: DEADLINE_MS_MAX });
  const result = options.optionalSchema("result");
  if (destination === null || look === null) return null;
  return (sight) => ({
    kind: "poll",
    outline: {
      kind: "poll",
      ...outlineOf(following, sight),
      destination,
      everyMs,
      deadlineMs,
      timeoutMs,
    },
    ...conditionsOf(following, sight),
    look: async (context) => readLookReply(await look(inSight(context, sight))),
    result,
  });
}
