/** The command for who restored an access: `access restored`. */

import { FootholdError } from "../core/errors.ts";
import { readDuration } from "../define/duration.ts";
import { END_OPTIONS, REASON_OPTION } from "./act.ts";
import { needed, textsGiven, usage, type Call, type Command } from "./command.ts";
import type { Reply } from "./replies.ts";
import { say, sayJson } from "./terminal.ts";
import { withClient } from "./with-client.ts";

type AccessReply = Reply<"restoreAccess">;

/** Lets every case go on that waits on a credential. */
export const accessRestoredCommand: Command = {
  name: "access restored",
  summary: "let every case go on that waits for access to a destination, after one of them was tried",
  positionals: ["DESTINATION"],
  options: [
    { name: "credential", value: "ID", help: "which one, where the destination is used with several" },
    {
      name: "wait",
      value: "TIME",
      help: "how long the first case is watched, such as 5s; 20s when left out, and at most",
    },
    REASON_OPTION,
    ...END_OPTIONS,
  ],
  notes: [
    "A worker must run: it tries the first case. Where the access is still refused, nothing else is released.",
    "Given again, it goes on with the cases that still wait.",
  ],
  run: async (call) => {
    const destination = needed(call, 0);
    const wait = readWait(call);
    await withClient(call, { definitions: "needed" }, async (client) => {
      const reply = await client.restoreAccess({
        destination,
        ...textsGiven(call, { credentialId: "credential" }),
        reason: call.text("reason"),
        ...wait,
      });
      const { probe } = reply;
      if (probe.kind === "stillDenied" || probe.kind === "cannotTell") {
        throw new FootholdError("ACCESS_NOT_RESTORED", linesOf(reply).join("\n"), {
          details: { caseId: probe.caseId },
        });
      }
      if (call.flag("json")) sayJson(reply);
      else for (const line of linesOf(reply)) say(line);
    });
  },
};

function readWait(call: Call): { readonly waitMs?: number } {
  const text = call.text("wait");
  if (text === null) return {};
  const duration = readDuration(text);
  if (duration.kind === "duration") return { waitMs: duration.ms };
  throw usage(call.command, `--wait: ${duration.why}.`);
}

function linesOf({
  destination,
  credentialId,
  probe,
  released,
  waiting,
  refused,
}: AccessReply): readonly string[] {
  const access = `${destination} (${credentialId})`;
  const others = refused.map(
    ({ caseId, code, sentence }) => `${caseId} was not released. ${code} ${sentence}`,
  );
  return [sayProbe(access, probe, { released, waiting }), ...others];
}

function sayProbe(
  access: string,
  probe: AccessReply["probe"],
  { released, waiting }: Pick<AccessReply, "released" | "waiting">,
): string {
  switch (probe.kind) {
    case "nothingWaits":
      return `No case waits for access to ${access}.`;
    case "works":
      return `${access} lets us in again: ${released} cases go on${waiting === 0 ? "" : `, ${waiting} wait still`}.`;
    case "stillDenied":
      return `${access} still refuses us: ${probe.why} ${waiting} cases wait; only ${probe.caseId} was tried.`;
    case "cannotTell":
      return `${access} could not be told: ${probe.why} (tried with ${probe.caseId}). ${waiting} cases wait.`;
  }
}
