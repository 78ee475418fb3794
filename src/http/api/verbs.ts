/** Rights, each to do one kind of thing. */

/** A right to do one kind of thing. Roles are sets of these. */
export const VERBS = [
  "see",
  "start",
  "approve",
  "tellEvent",
  "resume",
  "correct",
  "confirm",
  "ruleOut",
  "redo",
  "pause",
  "cancel",
  "note",
  "repair",
  "takeOver",
  "restoreAccess",
  "seeInbox",
  "seeWorkers",
] as const;

/** One of {@link VERBS}. */
export type Verb = (typeof VERBS)[number];
