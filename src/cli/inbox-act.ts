/** `inbox replay`, `inbox ignore` and `inbox reconcile`. */

import type { Client } from "../http/client/client.ts";
import { END_OPTIONS, neededReason, REASON_OPTION } from "./act.ts";
import { needed, textsGiven, type Command } from "./command.ts";
import type { Reply } from "./replies.ts";
import { say, sayJson } from "./terminal.ts";
import { withClient, type ApiUse } from "./with-client.ts";

/** Opens the work of an event again. */
export const inboxReplayCommand: Command = workCommand({
  verb: "replay",
  summary: "open the work of an event again; what it did before is not done twice",
  definitions: "needed",
  notes: [
    "Its acts keep their keys: a case that was started is found, and a fact that a case knows is not told again.",
  ],
  act: (client, asked) => client.replayEvent(asked),
});

/** Leaves the work of an event undone. */
export const inboxIgnoreCommand: Command = workCommand({
  verb: "ignore",
  summary: "leave the work of an event undone; a repeat does not bring it back, a replay does",
  definitions: "optional",
  notes: [
    "The event stays stored, and nobody is asked for its work any more. What a case was told before is not taken back.",
    "What is done cannot be ignored, nor what a living worker is at.",
  ],
  act: (client, asked) => client.ignoreEvent(asked),
});

/** An act on the work of an event, of one consumer or of all, with a reason. */
function workCommand({
  verb,
  act,
  summary,
  definitions,
  notes,
}: Pick<Command, "summary" | "notes"> &
  Pick<ApiUse, "definitions"> & {
    readonly verb: "replay" | "ignore";
    readonly act: (client: Client, asked: AskedWork) => Promise<{ readonly sentence: string }>;
  }): Command {
  return {
    name: `inbox ${verb}`,
    summary,
    positionals: ["EVENT"],
    options: [
      { name: "consumer", value: "NAME", help: "only this consumer; all when left out" },
      REASON_OPTION,
      ...END_OPTIONS,
    ],
    notes: ["--reason is needed.", ...notes],
    run: (call) => {
      const asked = {
        eventId: needed(call, 0),
        reason: neededReason(call),
        ...textsGiven(call, { consumer: "consumer" }),
      };
      return withClient(call, { definitions }, async (client) => {
        const reply = await act(client, asked);
        if (call.flag("json")) sayJson(reply);
        else say(reply.sentence);
      });
    },
  };
}

interface AskedWork {
  readonly eventId: string;
  readonly reason: string;
  readonly consumer?: string;
}

/** How long one request may take in which a list is read, in ms: a page that is begun may take a minute. */
const READING_MS_MAX = 120_000;
/** Requests in which one list is read on. */
const READINGS_MAX = 1_000;

/** Reads a provider's own list. */
export const inboxReconcileCommand: Command = {
  name: "inbox reconcile",
  summary: "read a provider's own list into the inbox, so that what never arrived is found",
  positionals: ["SOURCE"],
  options: END_OPTIONS,
  notes: ["Where it is interrupted, the next reading goes on. What had arrived is only noted as seen again."],
  run: (call) =>
    withClient(call, { definitions: "needed", timeoutMs: READING_MS_MAX }, async (client) => {
      const report = await readOn(client, needed(call, 0));
      if (call.flag("json")) sayJson(report);
      else {
        say(`${report.items} events read, ${report.missed} of them had never arrived.`);
        if (!report.isComplete) say("There are more: the same command goes on where it stopped.");
      }
    }),
};

/** One request reads for a while, so that a long list takes several. */
async function readOn(client: Client, source: string): Promise<Reply<"reconcileSource">> {
  let [items, missed, isComplete] = [0, 0, false];
  for (let readings = 0; readings < READINGS_MAX && !isComplete; readings += 1) {
    const report = await client.reconcileSource({ source });
    items += report.items;
    missed += report.missed;
    ({ isComplete } = report);
  }
  return { items, missed, isComplete };
}
