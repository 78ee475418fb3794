/**
 * What the doctor may find: codes that programs branch on, each with its weight. docs/reference/doctor.md explains every
 * one; a test keeps that page and this list equal.
 */

/** How much it weighs: it will go wrong, it may go wrong, or it is good to know. */
export type Severity = "error" | "warning" | "info";

const ERRORS = [
  "DEFINITION_FAULTY",
  "CHECK_MISSING",
  "WINDOW_TOO_SHORT",
  "UNSAFE_HIDDEN_RETRY",
  "AUTO_KEY_PER_CALL",
  "UNREACHABLE",
  "TLS_FAULT",
  "CREDENTIAL_REFUSED",
  "DATABASE_UNREACHABLE",
  "DATABASE_VERSION",
  "SCHEMA_MISSING",
  "SCHEMA_TOO_NEW",
  "PAYLOAD_KEY_MISSING",
  "READ_ONLY",
  "FSYNC_OFF",
  "SYNCHRONOUS_COMMIT_OFF",
  "NODE_TOO_OLD",
] as const;
const WARNINGS = [
  "NO_REPEAT_SAFETY",
  "REQUEST_MISSING",
  "WINDOW_TIGHT",
  "DEADLINE_LONG",
  "APPROVAL_WITHOUT_END",
  "ATTRIBUTE_TYPES",
  "ACCESS_OWNER_MISSING",
  "OWNER_UNANSWERED",
  "APPROVER_MISSING",
  "ATTRIBUTE_EMPTY",
  "HIDDEN_RETRY",
  "MULTIPLIED",
  "LATE_REQUEST",
  "SCHEDULE_OVERDUE",
  "PAYLOADS_PLAIN",
  "PAYLOAD_KEY_LOST",
  "SLOWED_DOWN",
  "PING_FAILED",
  "PLAIN_HTTP",
  "FULL_PAGE_WRITES_OFF",
  "CONNECTIONS_SHORT",
  "CLOCK_SKEW",
] as const;
const INFOS = [
  "LOOKUP_AS_NONE",
  "LAPSE_TO_PERSON",
  "INPUT_OWNER_MISSING",
  "OUTAGE_OWNER_MISSING",
  "APPROVER_UNKNOWN",
  "SCHEDULE_REMOVED",
  "PAYLOAD_KEY_OLD",
  "PING_MISSING",
  "BLIND",
  "DATABASE_MISSING",
  "POOLED",
  "NODE_END_OF_LIFE",
] as const;

/** One of the codes. */
export type FindingCode = (typeof ERRORS | typeof WARNINGS | typeof INFOS)[number];

/** Every code with its weight. */
export const FINDING_SEVERITIES: ReadonlyMap<FindingCode, Severity> = new Map<FindingCode, Severity>([
  ...ERRORS.map((code) => [code, "error"] as const),
  ...WARNINGS.map((code) => [code, "warning"] as const),
  ...INFOS.map((code) => [code, "info"] as const),
]);

/** Where something was found. */
export interface FindingPlace {
  readonly caseType?: string;
  readonly step?: string;
  readonly destination?: string;
}

/** Something that the doctor found. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Null where it is about no single one. */
  readonly caseType: string | null;
  readonly step: string | null;
  readonly destination: string | null;
  /** What is the matter, in one plain sentence. */
  readonly sentence: string;
  /** The setting or line that mends it. */
  readonly remedy: string;
}

/** Makes a finding. */
export function finding(
  code: FindingCode,
  { caseType, step, destination }: FindingPlace,
  { sentence, remedy }: Pick<Finding, "sentence" | "remedy">,
): Finding {
  return {
    code,
    severity: FINDING_SEVERITIES.get(code) ?? "error",
    caseType: caseType ?? null,
    step: step ?? null,
    destination: destination ?? null,
    sentence,
    remedy,
  };
}

const ORDER: readonly Severity[] = ["error", "warning", "info"];

/** The weightiest first; what is about the same thing stays together. */
export function byWeight(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}
