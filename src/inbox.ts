/** `foothold/inbox`: events from outside, received by your own server or framework. */

export type { Arrival, Headers } from "./inbox/arrival.ts";
export type { CaseDoor } from "./inbox/do-work.ts";
export type { FetchHandler, NodeHandler, NodeRequest } from "./inbox/handlers.ts";
export type { IgnoreAct, IgnoreReport } from "./inbox/ignore.ts";
export { createInbox, type Inbox, type InboxOptions } from "./inbox/inbox.ts";
export type { Ask } from "./inbox/outside.ts";
export type {
  Answer,
  ChallengeRule,
  Preset,
  Scheme,
  SecretForm,
  SignaturePlace,
  SignedPart,
  TimestampRule,
  Where,
} from "./inbox/preset.ts";
export { PRESETS, type PresetName } from "./inbox/presets.ts";
export type { ReconcileReport } from "./inbox/reconcile.ts";
export type { InboxReport, OnInboxReport } from "./inbox/report.ts";
export { signBody } from "./inbox/sign-body.ts";
export { signRequest, type Signing } from "./inbox/sign.ts";
export {
  defineSource,
  startCase,
  tellCase,
  type Consumer,
  type InboxEvent,
  type ListedItem,
  type ListOptions,
  type SecretOption,
  type Source,
  type SourceOptions,
  type StartConsumer,
  type TellConsumer,
} from "./inbox/source.ts";
export type { InboxSweep, InboxSweepReport } from "./inbox/sweep.ts";
export type { InboxWorker, InboxWorkerOptions } from "./inbox/worker.ts";
export type {
  EventHistory,
  InboxStore,
  Sighting,
  StoredDelivery,
  StoredEvent,
  StoredWork,
  WorkState,
} from "./store/inbox-port.ts";
