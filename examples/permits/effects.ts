import { destinationOf } from "./log.ts";
import type { PermitActivity, PermitCase } from "./log.ts";

/** What a permit case is started with: all that the log tells about it, apart from what its case type says. */
export interface PermitInput {
  readonly permitId: string;
  /** One for each step, in order. */
  readonly activities: readonly {
    readonly at: string;
    readonly performedBy: string;
    readonly group: string;
    readonly channel: string;
    readonly department: string;
  }[];
}

/** The input of a permit case. */
export function inputOf({ caseId, activities }: PermitCase): PermitInput {
  return {
    permitId: caseId,
    activities: activities.map(({ at, performedBy, group, channel, department }) => ({
      at: new Date(at).toISOString(),
      performedBy,
      group,
      channel,
      department,
    })),
  };
}

/** What a step sends, and where to. */
export interface EffectRequest {
  readonly service: "registry" | "mail";
  /** Path of the service. */
  readonly path: string;
  /** Its fields are in the order of their names, as they come back from a journal. */
  readonly body: Readonly<Record<string, string | number>>;
}

/** The request of the step at `position` (1-based) of a permit case. */
export function effectRequest(
  input: PermitInput,
  { activity, occurrence, position }: Pick<PermitActivity, "activity" | "occurrence" | "position">,
): EffectRequest {
  const told = input.activities[position - 1];
  if (told === undefined) throw new RangeError(`permit ${input.permitId} has no activity ${position}`);
  const { at, performedBy, group, channel, department } = told;
  const caseId = input.permitId;
  if (destinationOf(activity) === "registry") {
    const body = { activity, at, caseId, channel, department, group, occurrence, performedBy, position };
    return { service: "registry", path: "/activities", body };
  }
  const text = `${activity} of ${caseId}, by ${performedBy} (${group}, ${department}) on ${at}.`;
  const subject = `${caseId}: ${activity}`.slice(0, 200);
  const to = "applicant@permits.test";
  return {
    service: "mail",
    path: "/messages",
    body: { activity, body: text, caseId, occurrence, position, subject, to },
  };
}
