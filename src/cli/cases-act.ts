/** The commands that change a case: start, approve, reject, event, resume, cancel, pause, correct, note. */

import type { StartBody } from "../http/api/types.ts";
import type { Client } from "../http/client/client.ts";
import { FootholdError } from "../core/errors.ts";
import type { Priority } from "../core/starting.ts";
import { act, END_OPTIONS, PLAN_OPTION, planOf, REASON_OPTION, repairOf, REPAIR_OPTION } from "./act.ts";
import { untilThere } from "./clock-there.ts";
import { needed, textsGiven, usage, type Call, type Command } from "./command.ts";
import { JSON_VALUE_HELP, readJsonOption } from "./json-argument.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { say, sayJson } from "./terminal.ts";
import { readMoment } from "./times.ts";
import { withClient } from "./with-client.ts";

const PRIORITIES: readonly Priority[] = ["high", "normal", "low"];

/** Starts a case. */
export const casesStartCommand: Command = {
  name: "cases start",
  summary: "start a case",
  positionals: ["TYPE"],
  options: [
    { name: "input", value: "JSON", help: `the input: ${JSON_VALUE_HELP}; null when left out` },
    { name: "key", value: "KEY", help: "business key: a second start with it finds the first case" },
    { name: "tenant", value: "TENANT", help: "tenant; default when left out" },
    { name: "at", value: "TIME", help: "when it begins: 30m, 2h, 3d from now, or a time with its zone" },
    { name: "priority", value: "PRIORITY", help: `whose turn comes first: ${PRIORITIES.join(", ")}` },
    ...END_OPTIONS,
  ],
  notes: [],
  run: async (call) => {
    const body: StartBody = {
      type: needed(call, 0),
      ...readPriority(call),
      ...readBegin(call),
      ...textsGiven(call, { businessKey: "key", tenant: "tenant" }),
      input: await readJsonOption(call, "input", null),
    };
    await withClient(call, { definitions: "needed" }, async (client) => {
      const started = await client.startCase(body);
      if (call.flag("json")) sayJson(started);
      else if (started.isNew)
        say(`Started ${started.caseId}. Look at it: ${SPOKEN_NAME} cases show ${started.caseId}`);
      else say(`${started.caseId} has this business key already; nothing was started.`);
    });
  },
};

/** By the clock of the database: a span is counted from when the start arrives there. */
function readBegin(call: Call): Pick<StartBody, "startAt" | "startAfterMs"> {
  const text = call.text("at");
  if (text === null) return {};
  const moment = readMoment(text);
  return moment.kind === "span" ? { startAfterMs: moment.ms } : { startAt: moment.at };
}

function readPriority(call: Call): Pick<StartBody, "priority"> {
  const given = call.text("priority");
  const priority = PRIORITIES.find((one) => one === given);
  if (priority !== undefined) return { priority };
  if (given === null) return {};
  throw usage(call.command, `${JSON.stringify(given)} is no priority; there are ${PRIORITIES.join(", ")}.`);
}

/** Says yes to an approval. */
export const casesApproveCommand: Command = approvalCommand(
  "approve",
  "say yes to an approval that a case waits for",
);
/** Says no to an approval. */
export const casesRejectCommand: Command = approvalCommand(
  "reject",
  "say no to an approval that a case waits for",
);

function approvalCommand(verb: "approve" | "reject", summary: string): Command {
  return {
    name: `cases ${verb}`,
    summary,
    positionals: ["CASE", "[STEP]"],
    options: [
      { name: "form", value: "JSON", help: `what the approval's form asks for: ${JSON_VALUE_HELP}` },
      { name: "note", value: "TEXT", help: "a note with the answer" },
      {
        name: "stand-in",
        value: null,
        help: "also in place of the people whom it is asked of; needs --note and the right standIn",
      },
      PLAN_OPTION,
      REPAIR_OPTION,
      ...END_OPTIONS,
    ],
    notes: ["STEP may be left out where only one approval is asked for."],
    run: async (call) => {
      const caseId = needed(call, 0);
      const form = await readJsonOption(call, "form", undefined);
      await act(call, "needed", async (client) => {
        const answer = {
          caseId,
          step: call.positionals[1] ?? (await onlyApproval(call, client, caseId)),
          approved: verb === "approve",
          ...(form === undefined ? {} : { form }),
          note: call.text("note"),
          ...(call.flag("stand-in") ? { standIn: true } : {}),
          ...repairOf(call),
        };
        return client.answerApproval(answer, planOf(call));
      });
    },
  };
}

/** The approval that is meant where none is named. */
async function onlyApproval(call: Call, client: Client, caseId: string): Promise<string> {
  const view = await client.showCase({ caseId });
  const asked = view.moves.flatMap(({ move, step }) => (move === "approve" && step !== null ? [step] : []));
  const all = view.plan?.steps.flatMap(({ kind, step }) => (kind === "approval" ? [step] : [])) ?? [];
  const [first, ...more] = asked.length > 0 ? asked : all;
  if (first === undefined) {
    throw new FootholdError(
      "NOT_WAITING_FOR_APPROVAL",
      `Case ${caseId} waits for no approval. ${view.reading.sentence}`,
    );
  }
  // With one there is no doubt, even if it is not asked for yet: then the refusal says why.
  if (more.length === 0) return first;
  throw usage(
    call.command,
    `Case ${caseId} has several approvals; name one of ${[first, ...more].join(", ")}.`,
  );
}

/** Stores an event. */
export const casesEventCommand: Command = {
  name: "cases event",
  summary: "give a case an event",
  positionals: ["CASE", "EVENT"],
  options: [
    { name: "payload", value: "JSON", help: `what the event says: ${JSON_VALUE_HELP}; null when left out` },
    { name: "source", value: "ID", help: "its id where it came from: the same id counts once" },
    ...END_OPTIONS,
  ],
  notes: [],
  run: async (call) => {
    const [caseId, eventType] = [needed(call, 0), needed(call, 1)];
    const payload = await readJsonOption(call, "payload", null);
    await act(call, "needed", (client) =>
      client.tellEvent({ caseId, eventType, payload, ...textsGiven(call, { sourceId: "source" }) }),
    );
  },
};

/** Lets a case go on. */
export const casesResumeCommand: Command = {
  name: "cases resume",
  summary: "let a case go on after a review, or without waiting for the next automatic try",
  positionals: ["CASE"],
  options: [
    { name: "step", value: "STEP", help: "only this step; every step when left out" },
    { name: "force", value: null, help: "also send exactly what was rejected; needs --step and --reason" },
    REASON_OPTION,
    PLAN_OPTION,
    REPAIR_OPTION,
    ...END_OPTIONS,
  ],
  notes: ["Where something is still missing it is refused, and the code and sentence say what."],
  run: (call) =>
    act(call, "needed", (client) => {
      const order = {
        caseId: needed(call, 0),
        ...textsGiven(call, { step: "step" }),
        ...(call.flag("force") ? { force: true } : {}),
        reason: call.text("reason"),
        ...repairOf(call),
      };
      return client.resumeCase(order, planOf(call));
    }),
};

/** Cancels a case. */
export const casesCancelCommand: Command = {
  name: "cases cancel",
  summary: "cancel a case of which nothing is confirmed and nothing may have happened",
  positionals: ["CASE"],
  options: [REASON_OPTION, PLAN_OPTION, REPAIR_OPTION, ...END_OPTIONS],
  notes: ["Where a worker holds the case, it becomes a request that the worker carries out."],
  run: (call) =>
    act(call, "optional", (client) =>
      client.cancelCase(
        { caseId: needed(call, 0), reason: call.text("reason"), ...repairOf(call) },
        planOf(call),
      ),
    ),
};

/** Pauses a case. */
export const casesPauseCommand: Command = {
  name: "cases pause",
  summary: "stop a case until a time, or until it is resumed",
  positionals: ["CASE"],
  options: [
    {
      name: "until",
      value: "TIME",
      help: "30m, 2h, 3d, or a time with its zone; until resumed when left out",
    },
    REASON_OPTION,
    REPAIR_OPTION,
    ...END_OPTIONS,
  ],
  notes: ["Where a worker holds the case, it becomes a request that the worker carries out."],
  run: (call) =>
    act(call, "optional", async (client) => {
      const until = call.text("until");
      return client.pauseCase({
        caseId: needed(call, 0),
        untilAt: until === null ? null : await untilThere(client, until),
        reason: call.text("reason"),
        ...repairOf(call),
      });
    }),
};

/** Corrects the input of a case. */
export const casesCorrectCommand: Command = {
  name: "cases correct",
  summary: "replace the input of a case; what rested on the old one is looked at again",
  positionals: ["CASE"],
  options: [
    { name: "input", value: "JSON", help: `the whole input as it must be: ${JSON_VALUE_HELP}` },
    REASON_OPTION,
    PLAN_OPTION,
    REPAIR_OPTION,
    ...END_OPTIONS,
  ],
  notes: ["--input and --reason are needed. The original input is kept in the history."],
  run: async (call) => {
    const reason = call.text("reason");
    if (reason === null || call.text("input") === null) {
      throw usage(call.command, "--input and --reason are needed.");
    }
    const input = await readJsonOption(call, "input", null);
    await act(call, "needed", (client) =>
      client.correctInput({ caseId: needed(call, 0), input, reason, ...repairOf(call) }, planOf(call)),
    );
  },
};

/** Adds a note. */
export const casesNoteCommand: Command = {
  name: "cases note",
  summary: "add a note to the history of a case, in whatever state",
  positionals: ["CASE", "TEXT"],
  options: END_OPTIONS,
  notes: [],
  run: (call) =>
    act(call, "optional", (client) => client.addNote({ caseId: needed(call, 0), text: needed(call, 1) })),
};
