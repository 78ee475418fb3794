/** What is filled in for a bulk act, and the move that it makes: pure. */

import { FootholdError } from "../../../src/client.ts";
import type { api, Json } from "../api.ts";
import { readJson } from "../case/form-fields.ts";

/** A move on many cases. */
export type BulkMove = Parameters<typeof api.startBulk>[0]["move"];

/** The moves with what they are called, in the order in which they are offered. */
export const BULK_MOVES: readonly (readonly [move: BulkMove["move"], name: string])[] = [
  ["resume", "Resume"],
  ["check", "Check now"],
  ["assign", "Assign"],
  ["note", "Add a note"],
  ["pause", "Pause"],
  ["skip", "Skip the step"],
  ["cancel", "Cancel"],
];

/** The form. */
export interface BulkForm {
  readonly move: BulkMove["move"];
  readonly step: string;
  /** JSON. */
  readonly result: string;
  readonly untilAt: string;
  readonly assignee: string;
  readonly text: string;
  readonly reason: string;
  readonly isTriedFirst: boolean;
}

/** As it is opened. */
export function emptyBulkForm(step: string): BulkForm {
  const texts = { result: "", untilAt: "", assignee: "", text: "", reason: "" };
  return { move: "resume", step, isTriedFirst: true, ...texts };
}

/** The move. Throws where the result is no JSON, as the server would. */
export function readBulkForm(form: BulkForm): BulkMove {
  const step = form.step.trim();
  switch (form.move) {
    case "resume":
      return { move: "resume", ...(step === "" ? {} : { step }) };
    case "check":
      return { move: "check", step };
    case "skip":
      return {
        move: "skip",
        step,
        ...(form.result.trim() === "" ? {} : { result: readResult(form.result) }),
      };
    case "pause":
      return { move: "pause", untilAt: form.untilAt === "" ? null : new Date(form.untilAt).getTime() };
    case "cancel":
      return { move: "cancel" };
    case "assign": {
      const to = form.assignee.trim();
      return { move: "assign", to: to === "" ? null : { id: to, label: to } };
    }
    case "note":
      return { move: "note", text: form.text.trim() };
  }
}

function readResult(text: string): Json {
  const read = readJson(text);
  if (read.kind === "json") return read.value;
  throw new FootholdError("INVALID_REQUEST", `The result ${read.why}.`);
}
