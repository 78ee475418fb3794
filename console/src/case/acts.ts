/** What each move of the page asks beside its reason, and how it is sent. */

import { api, type ActReply, type Json, type MoveView } from "../api.ts";

/** A move. */
export type Move = MoveView["move"];

/** Fields that a move may ask for. */
export type AskedField =
  "evidence" | "result" | "answer" | "untilAt" | "text" | "input" | "step" | "assignee";

/** What a move is called and what it asks of a person. */
export interface MoveForm {
  /** The button that opens it, and its title. */
  readonly name: string;
  /** What it does, in one or two sentences. */
  readonly about: string;
  readonly fields: readonly AskedField[];
}

/** Every move's. */
export const MOVE_FORMS: Readonly<Record<Move, MoveForm>> = {
  approve: {
    name: "Answer the approval",
    about: "The case goes on after a yes and stops after a no.",
    fields: ["answer"],
  },
  standIn: {
    name: "Answer in place of its owner",
    about: "It is asked of others. You answer in their place, and your reason stands in the history.",
    fields: ["answer"],
  },
  resume: {
    name: "Resume",
    about: "The case goes on now, with fresh bounds. What stands is not sent again.",
    fields: ["step"],
  },
  force: {
    name: "Send the same again",
    about: "Exactly what was rejected is sent once more, against the rule that it is not.",
    fields: [],
  },
  correct: {
    name: "Correct the input",
    about:
      "The original is kept beside the corrected input. What rested on a changed field no longer stands, and the case goes on.",
    fields: ["input"],
  },
  check: {
    name: "Check now",
    about: "A worker asks anew what is known of the step. Nothing is sent.",
    fields: [],
  },
  confirm: {
    name: "Confirm by hand",
    about: "You vouch that the step took effect outside. Nothing is sent for it any more.",
    fields: ["evidence", "result"],
  },
  ruleOut: {
    name: "Rule out",
    about: "You vouch that the step did not happen and cannot any more. It may then be sent anew.",
    fields: ["evidence"],
  },
  skip: {
    name: "Leave out",
    about: "The step is left out; what follows goes on with the result that you give.",
    fields: ["result"],
  },
  redo: {
    name: "Do again",
    about: "The step no longer stands, nor does what rests on it; it is sent as a new effect.",
    fields: [],
  },
  undo: {
    name: "Undo",
    about: "What the step did is taken back outside.",
    fields: [],
  },
  leaveOutside: {
    name: "Leave outside",
    about:
      "What the step did stays, or was undone by hand; nothing more is done about it, and the case can be canceled.",
    fields: [],
  },
  restoreAccess: {
    name: "Access restored",
    about: "One case that waits on the access is tried; if it goes on, so do all others.",
    fields: [],
  },
  assign: {
    name: "Assign",
    about: "Says whose the case is. Empty: nobody's in particular.",
    fields: ["assignee"],
  },
  handOver: {
    name: "Hand over",
    about: "Ends your repair and gives the case to somebody else.",
    fields: ["assignee"],
  },
  note: {
    name: "Add a note",
    about: "It stands in the history for everybody.",
    fields: ["text"],
  },
  pause: {
    name: "Pause",
    about: "Nothing is sent until the time given, or until somebody resumes it.",
    fields: ["untilAt"],
  },
  open: {
    name: "Open for repair",
    about: "You hold the case while this page is open: no worker takes it, and what comes meanwhile waits.",
    fields: [],
  },
  close: {
    name: "End the repair",
    about: "The case is let go, and what came meanwhile is applied.",
    fields: [],
  },
  takeOver: {
    name: "Take the repair over",
    about: "Whoever has the case open is refused from then on.",
    fields: [],
  },
  cancel: {
    name: "Cancel the case",
    about:
      "Nothing more is begun. What was done outside is undone first; where that cannot be, people are asked.",
    fields: [],
  },
};

/** What a person filled in. Empty texts are nothing. */
export interface Filled {
  readonly reason: string;
  readonly evidence: string;
  /** Undefined = nothing was filled in; the same for `form`. */
  readonly result: Json | undefined;
  readonly approved: boolean;
  readonly form: Json | undefined;
  readonly untilAt: number | null;
  readonly text: string;
  readonly input: Json;
  /** The one step to resume; null = every one that can be. */
  readonly step: string | null;
  readonly assignee: string;
}

/** What a move is made on. */
export interface MoveOn {
  readonly caseId: string;
  readonly step: string | null;
  readonly repairId: string | undefined;
  /** The plan version that the person saw. */
  readonly plan: string;
}

/** What became of a move. */
export type MoveReply =
  | { readonly kind: "act"; readonly reply: ActReply }
  | {
      readonly kind: "repair";
      readonly repairId: string;
      readonly beatEveryMs: number;
      readonly sentence: string;
    };

/** Makes the move. Throws what the server refuses it with. */
export async function makeMove(
  move: Exclude<Move, "restoreAccess">,
  on: MoveOn,
  filled: Filled,
): Promise<MoveReply> {
  if (move === "open" || move === "takeOver") {
    const { caseId } = on;
    const opened = await (move === "open"
      ? api.openRepair({ caseId })
      : api.takeOverRepair({ caseId, reason: filled.reason }));
    return { kind: "repair", ...opened };
  }
  return { kind: "act", reply: await act(move, on, filled) };
}

type PlainMove = Exclude<Move, "open" | "takeOver" | "restoreAccess">;

function act(move: PlainMove, on: MoveOn, filled: Filled): Promise<ActReply> {
  switch (move) {
    case "check":
    case "confirm":
    case "ruleOut":
    case "skip":
    case "redo":
    case "undo":
    case "leaveOutside":
    case "force":
      return actOnStep(move, on, filled);
    case "approve":
    case "standIn":
    case "resume":
    case "correct":
    case "cancel":
    case "pause":
    case "note":
    case "assign":
    case "handOver":
    case "close":
      return actOnCase(move, on, filled);
  }
}

/** What most bodies have: the case, the repair under which it is done, and why. */
function common({ caseId, repairId }: MoveOn, { reason }: Filled) {
  return {
    on: { caseId, ...(repairId === undefined ? {} : { repairId }) },
    why: reason === "" ? {} : { reason },
  };
}

type StepMove = Extract<
  PlainMove,
  "check" | "confirm" | "ruleOut" | "skip" | "redo" | "undo" | "leaveOutside" | "force"
>;

function actOnStep(move: StepMove, on: MoveOn, filled: Filled): Promise<ActReply> {
  const { plan } = on;
  const { on: where, why } = common(on, filled);
  const { reason } = filled;
  const there = { ...where, step: on.step ?? "" };
  const evidence = filled.evidence === "" ? null : filled.evidence;
  const result = filled.result === undefined ? {} : { result: filled.result };
  switch (move) {
    case "check":
      return api.checkStep({ ...there, ...why }, { plan });
    case "confirm":
      return api.confirmStep({ ...there, reason, evidence, ...result }, { plan });
    case "ruleOut":
      return api.ruleOutStep({ ...there, reason, evidence }, { plan });
    case "skip":
      return api.skipStep({ ...there, reason, ...result }, { plan });
    case "redo":
      return api.redoStep({ ...there, reason }, { plan });
    case "undo":
      return api.undoStep({ ...there, reason }, { plan });
    case "leaveOutside":
      return api.leaveOutside({ ...there, reason }, { plan });
    case "force":
      return api.resumeCase({ ...there, reason, force: true }, { plan });
  }
}

function answerOf({ step }: MoveOn, { approved, form }: Filled) {
  return { step: step ?? "", approved, ...(form === undefined ? {} : { form }) };
}

function actOnCase(move: Exclude<PlainMove, StepMove>, on: MoveOn, filled: Filled): Promise<ActReply> {
  const { caseId, plan } = on;
  const { on: where, why } = common(on, filled);
  const { text, reason } = filled;
  const person = filled.assignee === "" ? null : { id: filled.assignee, label: filled.assignee };
  switch (move) {
    case "approve": {
      const note = text === "" ? null : text;
      return api.answerApproval({ ...where, ...answerOf(on, filled), note }, { plan });
    }
    case "standIn":
      return api.answerApproval({ ...where, ...answerOf(on, filled), note: reason, standIn: true }, { plan });
    case "resume": {
      const one = filled.step === null ? {} : { step: filled.step };
      return api.resumeCase({ ...where, ...one, ...why }, { plan });
    }
    case "correct":
      return api.correctInput({ ...where, input: filled.input, reason }, { plan });
    case "cancel":
      return api.cancelCase({ ...where, ...why }, { plan });
    case "pause":
      return api.pauseCase({ ...where, untilAt: filled.untilAt, ...why });
    case "note":
      return api.addNote({ caseId, text });
    case "assign":
      return api.assignCase({ ...where, to: person, ...why });
    case "handOver":
      return api.handOverRepair({
        caseId,
        repairId: on.repairId ?? "",
        to: person ?? { id: "", label: "" },
        reason,
      });
    case "close":
      return api.closeRepair({ caseId, repairId: on.repairId ?? "" });
  }
}
