/** What each route takes and gives, as types alone: the server's schemas and the client are held to the same text. */

import type { FieldFault, ErrorCode } from "../../core/errors.ts";
import type { ExportedCase } from "../../core/exported-case.ts";
import type { Assignee, Entry } from "../../core/journal.ts";
import type { Json } from "../../core/json.ts";
import type { CaseOutline, DestinationOutline } from "../../core/outline.ts";
import type { Priority } from "../../core/starting.ts";
import type { AccessReply } from "../../desk/access.ts";
import type { ErasurePreview, ErasureReply } from "../../desk/erase.ts";
import type { Revealed } from "../../desk/revealing.ts";
import type { ReviewPacket } from "../../desk/packet.ts";
import type { ActReply } from "../../desk/change.ts";
import type { ListPage } from "../../desk/desk.ts";
import type { Holding } from "../../desk/holding.ts";
import type { HolderView, Overview } from "../../desk/overview.ts";
import type { FormsView } from "../../desk/preview.ts";
import type { MovePreview } from "../../desk/move-preview.ts";
import type { PlanView } from "../../desk/plan-view.ts";
import type { OpenedRepair, RepairLife } from "../../desk/repairs.ts";
import type { StartedCase } from "../../desk/start.ts";
import type { Verb } from "../../core/rights.ts";
import type { AuditApiTypes } from "./audit-types.ts";
import type { BulkApiTypes } from "./bulk-types.ts";
import type { CasePageQuery, CasesQuery } from "./case-queries.ts";
import type { InboxApiTypes, RevealBody } from "./inbox-types.ts";
import type { PictureApiTypes } from "./picture-types.ts";
import type { ScheduleApiTypes } from "./schedule-types.ts";
import type { SecondApiTypes } from "./second-types.ts";
import type { ViewApiTypes } from "./view-types.ts";
import type { SettingsApiTypes } from "./settings-types.ts";
import type { MilestoneApiTypes } from "./milestone-types.ts";
import type { NoticeApiTypes } from "./notice-types.ts";
import type { WorkApiTypes } from "./work-types.ts";

export type * from "./audit-types.ts";
export type * from "./bulk-types.ts";
export type * from "./case-queries.ts";
export type * from "./inbox-types.ts";
export type * from "./picture-types.ts";
export type * from "./schedule-types.ts";
export type * from "./settings-types.ts";
export type * from "./milestone-types.ts";
export type * from "./notice-types.ts";
export type * from "./work-types.ts";

/** A route that takes nothing. */
export type Nothing = object;

/** Who is signed in. */
export interface Me {
  readonly name: string;
  /** `dev`: `foothold dev` on this machine, where everybody may do everything. */
  readonly signedInBy: "dev" | "session" | "token";
  /** What they may do somewhere; where exactly is judged on each object. */
  readonly verbs: readonly Verb[];
}

/** Who wants in. */
export interface SessionBody {
  readonly name: string;
  readonly password: string;
}

/** How many cases match. */
export interface CaseCount {
  readonly count: number;
  /** True where there are that many or more. */
  readonly isCapped: boolean;
}

/** Names one case. */
export interface CaseParams {
  readonly caseId: string;
}

/** Names the open repair of a case. */
export interface RepairParams extends CaseParams {
  readonly repairId: string;
}

/** What every act of a person may carry. */
interface ActBody {
  /** The id of the open repair under which it is made. */
  readonly repairId?: string;
}

/** An act with a reason that may be left out. */
interface ReasonedBody extends ActBody {
  readonly reason?: string | null;
}

/** An approval, answered. */
export interface ApprovalBody extends ActBody {
  readonly step: string;
  readonly approved: boolean;
  readonly form?: Json;
  /** Needed where the person stands in. */
  readonly note?: string | null;
  /** True = they may answer in place of the people whom the approval is asked of. */
  readonly standIn?: boolean;
  readonly sourceId?: string;
}

/** A resume; with `force` it needs a step and a reason. */
export interface ResumeBody extends ReasonedBody {
  readonly step?: string;
  readonly force?: boolean;
}

/** The whole input as it must be. */
export interface CorrectionBody extends ActBody {
  readonly input: Json;
  readonly reason: string;
}

/** What a person vouches for. */
export interface VouchBody extends ActBody {
  readonly step: string;
  readonly reason: string;
  readonly evidence?: string | null;
}

/** A confirmation by hand. */
export interface ConfirmationBody extends VouchBody {
  readonly result?: Json;
}

/** An order to do a step again. */
export interface RedoBody extends ActBody {
  readonly step: string;
  readonly reason: string;
}

/** A step left out; `result` is what later steps use in place of its own. */
export interface SkipBody extends RedoBody {
  readonly result?: Json;
}

/** A step to be asked about. */
export interface CheckBody extends ReasonedBody {
  readonly step: string;
}

/** Whose a case becomes; null = nobody's in particular. */
export interface AssignBody extends ReasonedBody {
  readonly to: Assignee | null;
}

/** Who gets a case that is open for repair. */
export interface HandOverBody {
  readonly to: Assignee;
  readonly reason: string;
}

/** A move to be looked at first. */
export interface PreviewBody extends ActBody {
  readonly move: MovePreview["move"];
  readonly step?: string;
  readonly force?: boolean;
  readonly input?: Json;
  readonly result?: Json;
}

/** A pause; `untilAt` is epoch ms. */
export interface PauseBody extends ReasonedBody {
  readonly untilAt?: number | null;
}

/** An event for a case. */
export interface EventBody {
  readonly eventType: string;
  readonly payload?: Json;
  readonly sourceId?: string;
}

/** A case to start. */
export interface StartBody {
  readonly type: string;
  readonly input: Json;
  readonly businessKey?: string;
  readonly tenant?: string;
  /** When work on it begins, epoch ms; not with `startAfterMs`. At once when left out. */
  readonly startAt?: number;
  readonly startAfterMs?: number;
  /** Normal when left out. */
  readonly priority?: Priority;
}

/** Whose repair is taken over, and why. */
export interface TakeOverBody {
  readonly reason: string;
  /** The holder that the person saw. */
  readonly from?: string;
}

/** Which access works again. */
export interface AccessBody {
  readonly credentialId?: string;
  readonly reason?: string | null;
  /** How long the case that is tried first is watched, at most 20,000, which is the default. */
  readonly waitMs?: number;
}

/** A case as a document, to be kept and replayed. Times are epoch ms. */
export interface CaseExport {
  readonly format: ExportedCase["format"];
  readonly caseId: string;
  readonly exportedAt: number;
  /** True where marks stand for what is masked: it can be read, and not replayed. Left out where nothing is masked. */
  readonly isMasked?: boolean;
  /** The journal, whole, oldest first. What else an entry holds depends on its kind. */
  readonly entries: readonly {
    readonly revision: number;
    readonly at: number;
    readonly entry: { readonly kind: Entry["kind"] };
  }[];
}

/** The plan of a case now. */
export interface Preview {
  readonly caseId: string;
  readonly revision: number;
  /** Null where the definition is not loaded. */
  readonly plan: PlanView | null;
}

/** Which steps use a destination. */
export interface DestinationUse {
  readonly caseType: string;
  readonly step: string;
}

/** An outside system. */
export interface DestinationView {
  readonly destination: DestinationOutline;
  readonly usedBy: readonly DestinationUse[];
}

/** A worker or an open page, with what it holds. */
export interface WorkerView extends HolderView {
  readonly claims: number;
}

/** A claim on a case. */
export interface ClaimView {
  readonly caseId: string;
  readonly holding: Holding;
}

/** What each route takes and gives. */
export interface ApiTypes
  extends
    AuditApiTypes,
    BulkApiTypes,
    InboxApiTypes,
    NoticeApiTypes,
    MilestoneApiTypes,
    PictureApiTypes,
    ScheduleApiTypes,
    SecondApiTypes,
    ViewApiTypes,
    SettingsApiTypes,
    WorkApiTypes {
  readonly showMe: { params: Nothing; query: Nothing; body: null; reply: Me };
  readonly openSession: { params: Nothing; query: Nothing; body: SessionBody; reply: Me };
  readonly endSession: {
    params: Nothing;
    query: Nothing;
    body: Nothing;
    reply: { readonly sentence: string };
  };
  readonly showOverview: { params: Nothing; query: Nothing; body: null; reply: Overview };
  readonly listCases: { params: Nothing; query: CasePageQuery; body: null; reply: ListPage };
  readonly countCases: { params: Nothing; query: CasesQuery; body: null; reply: CaseCount };
  readonly showCase: { params: CaseParams; query: { repairId?: string }; body: null; reply: ReviewPacket };
  readonly previewCase: { params: CaseParams; query: Nothing; body: null; reply: Preview };
  readonly exportCase: { params: CaseParams; query: Nothing; body: null; reply: CaseExport };
  readonly revealExport: { params: CaseParams; query: Nothing; body: RevealBody; reply: CaseExport };
  readonly previewMove: { params: CaseParams; query: Nothing; body: PreviewBody; reply: MovePreview };
  readonly startCase: { params: Nothing; query: Nothing; body: StartBody; reply: StartedCase };
  readonly answerApproval: { params: CaseParams; query: Nothing; body: ApprovalBody; reply: ActReply };
  readonly resumeCase: { params: CaseParams; query: Nothing; body: ResumeBody; reply: ActReply };
  readonly correctInput: { params: CaseParams; query: Nothing; body: CorrectionBody; reply: ActReply };
  readonly confirmStep: { params: CaseParams; query: Nothing; body: ConfirmationBody; reply: ActReply };
  readonly ruleOutStep: { params: CaseParams; query: Nothing; body: VouchBody; reply: ActReply };
  readonly redoStep: { params: CaseParams; query: Nothing; body: RedoBody; reply: ActReply };
  readonly checkStep: { params: CaseParams; query: Nothing; body: CheckBody; reply: ActReply };
  readonly skipStep: { params: CaseParams; query: Nothing; body: SkipBody; reply: ActReply };
  readonly leaveOutside: { params: CaseParams; query: Nothing; body: RedoBody; reply: ActReply };
  readonly undoStep: { params: CaseParams; query: Nothing; body: RedoBody; reply: ActReply };
  readonly assignCase: { params: CaseParams; query: Nothing; body: AssignBody; reply: ActReply };
  readonly cancelCase: { params: CaseParams; query: Nothing; body: ReasonedBody; reply: ActReply };
  readonly pauseCase: { params: CaseParams; query: Nothing; body: PauseBody; reply: ActReply };
  readonly addNote: { params: CaseParams; query: Nothing; body: { readonly text: string }; reply: ActReply };
  readonly previewErasure: { params: CaseParams; query: Nothing; body: null; reply: ErasurePreview };
  readonly eraseCase: { params: CaseParams; query: Nothing; body: RevealBody; reply: ErasureReply };
  readonly revealCase: { params: CaseParams; query: Nothing; body: RevealBody; reply: Revealed };
  readonly tellEvent: { params: CaseParams; query: Nothing; body: EventBody; reply: ActReply };
  readonly openRepair: { params: CaseParams; query: Nothing; body: Nothing; reply: OpenedRepair };
  readonly takeOverRepair: { params: CaseParams; query: Nothing; body: TakeOverBody; reply: OpenedRepair };
  readonly keepRepair: { params: RepairParams; query: Nothing; body: Nothing; reply: RepairLife };
  readonly closeRepair: { params: RepairParams; query: Nothing; body: Nothing; reply: ActReply };
  readonly handOverRepair: { params: RepairParams; query: Nothing; body: HandOverBody; reply: ActReply };
  readonly listCaseTypes: {
    params: Nothing;
    query: Nothing;
    body: null;
    reply: { readonly caseTypes: readonly CaseOutline[] };
  };
  readonly showCaseType: { params: { caseType: string }; query: Nothing; body: null; reply: CaseOutline };
  readonly showForms: { params: { caseType: string }; query: Nothing; body: null; reply: FormsView };
  readonly listDestinations: {
    params: Nothing;
    query: Nothing;
    body: null;
    reply: { readonly destinations: readonly DestinationView[] };
  };
  readonly restoreAccess: {
    params: { destination: string };
    query: Nothing;
    body: AccessBody;
    reply: AccessReply;
  };
  readonly listWorkers: {
    params: Nothing;
    query: Nothing;
    body: null;
    reply: { readonly now: number; readonly workers: readonly WorkerView[] };
  };
  readonly listClaims: {
    params: Nothing;
    query: { limit?: number };
    body: null;
    reply: { readonly now: number; readonly claims: readonly ClaimView[] };
  };
}

/** A hint that something changed: what exactly is for whoever reads it anew. */
export type Change =
  /** A case that was asked about. */
  | { readonly kind: "case"; readonly caseId: string; readonly revision: number }
  /** Any list or count. */
  | { readonly kind: "list" };

/** What a failed request is answered with, as `application/problem+json`. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  /** Stable; programs branch on it. */
  readonly code: ErrorCode;
  readonly detail: string;
  readonly fields?: readonly FieldFault[];
  readonly caseId?: string;
  /** What changed in the plan, and the plan version now. */
  readonly changes?: readonly string[];
  readonly plan?: string;
}

/** The name of an operation. */
export type RouteId = keyof ApiTypes;

/** Acts that bind to the plan that the person saw. */
export type PlannedRoute =
  | "answerApproval"
  | "resumeCase"
  | "correctInput"
  | "confirmStep"
  | "ruleOutStep"
  | "redoStep"
  | "checkStep"
  | "skipStep"
  | "undoStep"
  | "leaveOutside"
  | "cancelCase";
