// The designs that are put before spin: what is switched, what is asked, and what spin must answer. `holds` is a proof
// over every schedule within the bounds; `broken` guards the model: a rule that can be switched off without harm would
// prove nothing. The switches are told in claim.pml.

/**
 * @typedef {object} Design
 * @property {string} name unique; a few words
 * @property {Readonly<Record<string, string | number>>} switches what differs from the defaults in claim.pml
 * @property {readonly string[] | "settles"} asks properties of claim.pml; all but those after a minus, as `["-ONCE"]`
 * @property {"holds" | "broken"} expects
 * @property {boolean} [isLimit] broken because no engine can give it, not because a rule is off
 * @property {boolean} [isQuick] also part of `npm test`
 */

const all = /** @type {readonly string[]} */ ([]);
const lookup = { REPEAT_SAFETY: "BY_LOOKUP", ATTEMPTS: 2 };
const none = { REPEAT_SAFETY: "BY_NONE", ATTEMPTS: 2 };
const short = { ATTEMPTS: 2 };
const repaired = { ATTEMPTS: 2, CORRECTIONS: 1, REFUSALS: 1 };
const failover = { ATTEMPTS: 2, FAILOVERS: 1, PAUSES: 1, CRASHES: 0 };
const poison = { ATTEMPTS: 4, POISON: 1, CRASHES: 0, PAUSES: 1 };
const brief = { ATTEMPTS: 2, PAUSES: 1 };

/** @type {readonly Design[]} */
export const designs = [
  // ---- as it must be
  { name: "key", switches: {}, asks: all, expects: "holds" },
  { name: "key, corrected and rejected", switches: repaired, asks: all, expects: "holds" },
  {
    name: "key, event and run that goes on",
    switches: { ...short, FACTS: 1, RUN_ON: 1 },
    asks: all,
    expects: "holds",
  },
  {
    name: "key, canceled",
    switches: { ...short, CANCELS: 1, REFUSALS: 1 },
    asks: all,
    expects: "holds",
    isQuick: true,
  },
  {
    name: "key, two steps",
    switches: { STEPS: 2, PAUSES: 1, CORRECTIONS: 1 },
    asks: all,
    expects: "holds",
  },
  { name: "key, three workers", switches: { ...short, WORKERS: 3, PAUSES: 2 }, asks: all, expects: "holds" },
  {
    name: "key with a window, in time",
    switches: { ...short, KEYS_EXPIRE: 1, IN_TIME: 1, PAUSES: 2 },
    asks: all,
    expects: "holds",
  },
  {
    name: "key, a case that kills its workers",
    switches: poison,
    asks: all,
    expects: "holds",
    isQuick: true,
  },
  { name: "unique", switches: { ...repaired, REPEAT_SAFETY: "BY_UNIQUE" }, asks: all, expects: "holds" },
  { name: "if-match", switches: { ...repaired, REPEAT_SAFETY: "BY_IF_MATCH" }, asks: all, expects: "holds" },
  { name: "fence", switches: { ...repaired, REPEAT_SAFETY: "BY_FENCE" }, asks: all, expects: "holds" },
  {
    name: "transaction",
    switches: { ...repaired, REPEAT_SAFETY: "BY_TRANSACTION" },
    asks: all,
    expects: "holds",
    isQuick: true,
  },
  { name: "lookup, in time", switches: { ...lookup, IN_TIME: 1, PAUSES: 2 }, asks: all, expects: "holds" },
  {
    name: "lookup, in time, resumed",
    switches: { ...lookup, IN_TIME: 1, PAUSES: 1, RESUMES: 1, CRASHES: 0 },
    asks: all,
    expects: "holds",
  },
  {
    name: "lookup, late sends, corrected",
    switches: { ...lookup, PAUSES: 2, CORRECTIONS: 1, CRASHES: 0, LOST_REPLIES: 0 },
    asks: ["-ONCE"],
    expects: "holds",
  },
  {
    name: "lookup, late sends and run that goes on",
    switches: { ...lookup, PAUSES: 2, RUN_ON: 1, CRASHES: 0, LOST_REPLIES: 0 },
    asks: ["-ONCE"],
    expects: "holds",
  },
  {
    name: "none, with people, event and run that goes on",
    switches: { ...none, FACTS: 1, RUN_ON: 1, CORRECTIONS: 1, RESUMES: 1 },
    asks: all,
    expects: "holds",
  },
  {
    name: "none, canceled",
    switches: { ...none, CANCELS: 1, RUN_ON: 1 },
    asks: all,
    expects: "holds",
    isQuick: true,
  },
  {
    name: "key, the last commit lost in a failover",
    switches: failover,
    asks: ["ONCE", "TRUTH", "FOREIGN", "JOURNAL"],
    expects: "holds",
  },
  {
    name: "key that compares requests, failover, corrected",
    switches: { ...failover, CORRECTIONS: 1, KEY_COMPARES: 1 },
    asks: ["ONCE", "TRUTH", "FOREIGN", "JOURNAL"],
    expects: "holds",
  },

  // ---- every run ends, and ends settled
  { name: "key, settles", switches: brief, asks: "settles", expects: "holds", isQuick: true },
  {
    name: "key, corrected, rejected and resumed, settles",
    switches: { ...brief, CORRECTIONS: 1, REFUSALS: 1, RESUMES: 1, LOST_REPLIES: 0 },
    asks: "settles",
    expects: "holds",
  },
  {
    name: "key, two steps, settles",
    switches: { STEPS: 2, PAUSES: 1, LOST_REPLIES: 0 },
    asks: "settles",
    expects: "holds",
  },
  { name: "key, canceled, settles", switches: { ...brief, CANCELS: 1 }, asks: "settles", expects: "holds" },
  { name: "key, poison, settles", switches: poison, asks: "settles", expects: "holds" },
  {
    name: "lookup, settles",
    switches: { ...lookup, IN_TIME: 1, PAUSES: 1, LOST_REPLIES: 0 },
    asks: "settles",
    expects: "holds",
  },
  {
    name: "none, event and run that goes on, settles",
    switches: { ...none, PAUSES: 1, FACTS: 1, RUN_ON: 1, CORRECTIONS: 1 },
    asks: "settles",
    expects: "holds",
  },
  {
    name: "key, orphans freed by act-by alone, settles",
    switches: { ...brief, ORPHAN_RELEASE: 0 },
    asks: "settles",
    expects: "holds",
  },

  // ---- one rule switched off
  {
    name: "no key",
    switches: { ...short, DESTINATION: "BY_NONE" },
    asks: ["ONCE"],
    expects: "broken",
    isQuick: true,
  },
  {
    name: "a fence that only refuses older tokens",
    switches: { ...short, REPEAT_SAFETY: "BY_FENCE", TOKENS_ONCE: 0 },
    asks: ["ONCE"],
    expects: "broken",
  },
  {
    name: "no guard at the door",
    switches: { ...short, DOOR_COMPARES_CLAIM: 0 },
    asks: ["FOREIGN"],
    expects: "broken",
    isQuick: true,
  },
  {
    name: "claim numbers instead of random ids",
    switches: { ...failover, RANDOM_CLAIM_IDS: 0 },
    asks: ["FOREIGN"],
    expects: "broken",
  },
  {
    name: "a door that does not know lost entries",
    switches: { ...failover, DOOR_KNOWS_LOST_ENTRIES: 0 },
    asks: ["JOURNAL"],
    expects: "broken",
  },
  { name: "no commit id", switches: { ...short, COMMIT_ID: 0 }, asks: ["JOURNAL"], expects: "broken" },
  {
    name: "no revision on intents",
    switches: { ...short, FACTS: 1, REVISION_GUARDS_ONWARD: 0 },
    asks: ["SEEN"],
    expects: "broken",
    isQuick: true,
  },
  {
    name: "no revision on parking",
    switches: { ...short, FACTS: 1, REVISION_GUARDS_PARKING: 0 },
    asks: ["AWAKE"],
    expects: "broken",
  },
  {
    name: "sent before the intent is committed",
    switches: { ...none, INTENT_BEFORE_SEND: 0 },
    asks: ["ONCE"],
    expects: "broken",
    isQuick: true,
  },
  {
    name: "an open attempt taken for not sent",
    switches: { ...none, OPEN_IS_UNKNOWN: 0 },
    asks: ["NOT_RESENT"],
    expects: "broken",
  },
  {
    name: "no settled rule",
    switches: { ...short, SETTLED_RULE: 0, CORRECTIONS: 1 },
    asks: ["ONCE"],
    expects: "broken",
    isQuick: true,
  },
  {
    name: "a proof that waits for nothing",
    switches: { ...lookup, IN_TIME: 1, PROOF_WAITS: 0, PAUSES: 0, CRASHES: 0, LOST_REPLIES: 0 },
    asks: ["ONCE"],
    expects: "broken",
  },
  {
    name: "a check judged by when it was answered",
    switches: {
      ...lookup,
      IN_TIME: 1,
      ASKED_BEFORE_READ: 0,
      RESUMES: 1,
      PAUSES: 0,
      CRASHES: 0,
      LOST_REPLIES: 0,
    },
    asks: ["ONCE"],
    expects: "broken",
  },
  {
    name: "a repeat that may arrive after the window",
    switches: { ...short, KEYS_EXPIRE: 1, IN_TIME: 1, REPEAT_ENDS_IN_WINDOW: 0 },
    asks: ["ONCE"],
    expects: "broken",
  },
  {
    name: "rejected requests sent again",
    switches: { ...short, REFUSALS: 1, REJECTED_STAYS: 0 },
    asks: ["REJECTED"],
    expects: "broken",
  },
  {
    name: "basis ignored",
    switches: { ...short, CORRECTIONS: 1, BASIS: 0 },
    asks: ["TRUTH"],
    expects: "broken",
  },
  { name: "no foothold", switches: { ...short, FOOTHOLD: 0 }, asks: ["STANDING"], expects: "broken" },
  {
    name: "losses not counted",
    switches: { ...poison, LOSSES_COUNT: 0 },
    asks: ["SPARED"],
    expects: "broken",
  },
  {
    name: "late reports not kept",
    switches: { ...none, LATE_REPORTS: 0 },
    asks: ["EVIDENCE"],
    expects: "broken",
  },
  {
    name: "one late report for each attempt",
    switches: { ...none, RUN_ON: 1, LATE_SUCCESS_AFTER_DOUBT: 0 },
    asks: ["EVIDENCE"],
    expects: "broken",
  },
  {
    name: "a confirmation that closes may-exist-twice",
    switches: { ...lookup, CORRECTIONS: 1, TWICE_STAYS_IN_SIGHT: 0, PAUSES: 1, CRASHES: 0, LOST_REPLIES: 0 },
    asks: ["SIGHT"],
    expects: "broken",
  },
  {
    name: "canceled while it may have happened",
    switches: { ...short, CANCELS: 1, CANCEL_NEEDS_UNTOUCHED: 0 },
    asks: ["UNTOUCHED"],
    expects: "broken",
  },
  { name: "no sweep", switches: { ...brief, SWEEP: 0 }, asks: "settles", expects: "broken", isQuick: true },
  {
    name: "no orphan release, no act-by",
    switches: { ...brief, ORPHAN_RELEASE: 0, ACT_BY: 0 },
    asks: "settles",
    expects: "broken",
    isQuick: true,
  },

  // ---- what no engine can give
  {
    name: "lookup, a send after its deadline",
    switches: { ...lookup, PAUSES: 1, CRASHES: 0, LOST_REPLIES: 0 },
    asks: ["ONCE"],
    expects: "broken",
    isLimit: true,
  },
  {
    name: "key with a window, a send after its deadline",
    switches: { ...short, KEYS_EXPIRE: 1 },
    asks: ["ONCE"],
    expects: "broken",
    isLimit: true,
  },
  {
    name: "none, the last commit lost in a failover",
    switches: { ...failover, REPEAT_SAFETY: "BY_NONE" },
    asks: ["ONCE"],
    expects: "broken",
    isLimit: true,
  },
  {
    name: "key that does not compare, failover, corrected",
    switches: { ...failover, CORRECTIONS: 1 },
    asks: ["TRUTH"],
    expects: "broken",
    isLimit: true,
  },
];
