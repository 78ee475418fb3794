/** Every command, in the order of the help, and how one is found. */

import { FootholdError } from "../core/errors.ts";
import { accessRestoredCommand } from "./access.ts";
import {
  casesApproveCommand,
  casesCancelCommand,
  casesCorrectCommand,
  casesEventCommand,
  casesNoteCommand,
  casesPauseCommand,
  casesRejectCommand,
  casesResumeCommand,
  casesStartCommand,
} from "./cases-act.ts";
import { casesMapCommand } from "./cases-map.ts";
import { casesListCommand, casesShowCommand } from "./cases-read.ts";
import { casesEraseCommand } from "./erase.ts";
import { casesRevealCommand } from "./reveal.ts";
import { casesCloseCommand, casesOpenCommand, casesTakeOverCommand } from "./cases-repair.ts";
import { casesConfirmCommand, casesRedoCommand, casesRuleOutCommand } from "./cases-vouch.ts";
import {
  casesAssignCommand,
  casesCheckCommand,
  casesHandOverCommand,
  casesSkipCommand,
  casesLeaveOutsideCommand,
  casesUndoCommand,
} from "./cases-order.ts";
import {
  bulkListCommand,
  bulkPauseCommand,
  bulkResumeCommand,
  bulkShowCommand,
  bulkStartCommand,
  bulkStopCommand,
} from "./bulk.ts";
import { noticesListCommand, noticesRetryCommand, noticesTestCommand, ownersCommand } from "./notices.ts";
import { problemsCommand, problemsMarkCommand } from "./problems.ts";
import { auditHeadCommand, auditListCommand } from "./audit.ts";
import { auditVerifyCommand } from "./audit-verify.ts";
import { keysListCommand, keysLostCommand, keysRotateCommand } from "./keys.ts";
import { casesPreviewCommand } from "./cases-preview.ts";
import type { Command } from "./command.ts";
import { completionCommandOf } from "./completion.ts";
import { diffCommand } from "./diff.ts";
import { destinationsCommand } from "./destinations.ts";
import { casesExportCommand } from "./export.ts";
import { casesImportCommand } from "./cases-import.ts";
import { replayCommand } from "./replay.ts";
import { initCommand } from "./init.ts";
import { inboxIgnoreCommand, inboxReconcileCommand, inboxReplayCommand } from "./inbox-act.ts";
import { inboxSendCommand } from "./inbox-send.ts";
import { inboxListCommand, inboxShowCommand, inboxWorkCommand } from "./inbox-read.ts";
import { peopleListCommand } from "./people-list.ts";
import {
  peopleAddCommand,
  peopleChangeCommand,
  peopleDisableCommand,
  tokensCreateCommand,
  tokensListCommand,
  tokensRevokeCommand,
} from "./people.ts";
import { nearest } from "./did-you-mean.ts";
import { doctorCommand } from "./doctor.ts";
import {
  schedulesListCommand,
  schedulesShowCommand,
  schedulesNextCommand,
  schedulesPauseCommand,
  schedulesResumeCommand,
  schedulesStartCommand,
  schedulesLeaveCommand,
} from "./schedules.ts";
import { secondApproveCommand, secondDeclineCommand, secondListCommand } from "./second.ts";
import { rehearseCommand } from "./rehearse.ts";
import { restoredCommand } from "./restored.ts";
import { migrateCommand, sweepCommand } from "./upkeep.ts";
import { topCommand } from "./top.ts";
import { devCommand, serveCommand, workerCommand } from "./processes.ts";

/** All of them. */
export const COMMANDS: readonly Command[] = [
  initCommand,
  devCommand,
  serveCommand,
  workerCommand,
  sweepCommand,
  migrateCommand,
  rehearseCommand,
  doctorCommand,
  diffCommand,
  restoredCommand,
  replayCommand,
  topCommand,
  casesListCommand,
  casesShowCommand,
  casesMapCommand,
  casesExportCommand,
  casesImportCommand,
  casesPreviewCommand,
  casesStartCommand,
  casesApproveCommand,
  casesRejectCommand,
  casesEventCommand,
  casesResumeCommand,
  casesCancelCommand,
  casesPauseCommand,
  casesCorrectCommand,
  casesConfirmCommand,
  casesRuleOutCommand,
  casesRedoCommand,
  casesCheckCommand,
  casesSkipCommand,
  casesUndoCommand,
  casesLeaveOutsideCommand,
  casesAssignCommand,
  casesHandOverCommand,
  casesNoteCommand,
  casesRevealCommand,
  casesEraseCommand,
  casesOpenCommand,
  casesTakeOverCommand,
  casesCloseCommand,
  destinationsCommand,
  accessRestoredCommand,
  secondListCommand,
  secondApproveCommand,
  secondDeclineCommand,
  problemsCommand,
  problemsMarkCommand,
  bulkStartCommand,
  bulkListCommand,
  bulkShowCommand,
  bulkPauseCommand,
  bulkResumeCommand,
  bulkStopCommand,
  schedulesListCommand,
  schedulesShowCommand,
  schedulesNextCommand,
  schedulesPauseCommand,
  schedulesResumeCommand,
  schedulesStartCommand,
  schedulesLeaveCommand,
  noticesListCommand,
  noticesTestCommand,
  noticesRetryCommand,
  ownersCommand,
  inboxListCommand,
  inboxShowCommand,
  inboxWorkCommand,
  inboxReplayCommand,
  inboxIgnoreCommand,
  inboxReconcileCommand,
  inboxSendCommand,
  peopleAddCommand,
  peopleListCommand,
  peopleChangeCommand,
  peopleDisableCommand,
  tokensCreateCommand,
  tokensListCommand,
  tokensRevokeCommand,
  auditListCommand,
  auditHeadCommand,
  auditVerifyCommand,
  keysListCommand,
  keysRotateCommand,
  keysLostCommand,
  completionCommandOf(() => COMMANDS),
];

/** First words that need a second one, such as `cases`. */
export const GROUPS: readonly string[] = [
  ...new Set(COMMANDS.flatMap(({ name }) => (name.includes(" ") ? name.split(" ").slice(0, 1) : []))),
].filter((first) => !COMMANDS.some(({ name }) => name === first));

/** The command that the first words name, and the words after it. Throws `USAGE` with the nearest one. */
export function findCommand(words: readonly string[]): {
  readonly command: Command;
  readonly rest: readonly string[];
} {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = COMMANDS.find((one) => one.name === name);
    if (command !== undefined) return { command, rest: words.slice(length) };
  }
  throw unknownCommand(words);
}

function unknownCommand(words: readonly string[]): FootholdError {
  const [first = "", second] = words;
  const isGroup = GROUPS.includes(first);
  const typed = isGroup && second !== undefined && !second.startsWith("-") ? `${first} ${second}` : first;
  if (isGroup && typed === first) {
    const verbs = COMMANDS.flatMap(({ name }) =>
      name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : [],
    );
    return new FootholdError(
      "USAGE",
      `Which? foothold ${first} ${verbs.join(" | ")}. See: foothold help ${first}`,
    );
  }
  const near =
    nearest(typed, [...COMMANDS.map(({ name }) => name), "help"]) ??
    nearest(
      `cases ${typed}`,
      COMMANDS.map(({ name }) => name),
    );
  const hint = near === null ? "" : ` Did you mean: foothold ${near}?`;
  return new FootholdError(
    "USAGE",
    `There is no command ${JSON.stringify(typed.slice(0, 60))}.${hint} See: foothold help`,
  );
}
