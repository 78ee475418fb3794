/** `foothold/testing`: test your case types, in any test runner. */

export {
  entriesOf,
  expectAttempts,
  expectConfirmed,
  expectDone,
  expectNotConfirmed,
  expectReview,
  expectWaiting,
  type CaseJournal,
} from "./testing/case-journal.ts";
export { noteEffect } from "./testing/current-call.ts";
export {
  fakeDestination,
  type AskWith,
  type FakeDestination,
  type FakeDestinationOptions,
  type FakeRecord,
  type LedgerEntry,
  type SendWith,
} from "./testing/fake-destination.ts";
export type { AnswerOptions } from "./testing/fake-trouble.ts";
export {
  expectSafe,
  formatRehearsal,
  type EventFault,
  type Finding,
  type JudgedBy,
  type RehearsalCell,
  type RehearsalReport,
  type RehearsedEvent,
  type RehearsedStep,
  type StepFault,
  type Verdict,
} from "./testing/rehearsal-report.ts";
export type { Correction, EventToSend, ListedEffect } from "./testing/rehearsal-run.ts";
export { readExportedCase, type ExportedCase } from "./core/exported-case.ts";
export { formatReplay, replay, type ReplayDifference, type ReplayReport } from "./testing/replay.ts";
export {
  defineRehearsal,
  rehearse,
  type ChildToRehearse,
  type Rehearsal,
  type RehearsalOptions,
  type RehearsalProgress,
} from "./testing/rehearse.ts";
export type { TraceLine } from "./testing/stage.ts";
export {
  createTestWorld,
  type ScheduledCase,
  type TestWorld,
  type TestWorldOptions,
} from "./testing/world.ts";
