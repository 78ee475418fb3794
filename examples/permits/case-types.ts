import { defineCase, defineDestination, type CaseType } from "foothold";
import { z } from "zod";
import type { FaultPlan } from "../services/faults.ts";
import { urlForAttempt } from "../services/faults.ts";
import { effectRequest, type PermitInput } from "./effects.ts";
import { destinationOf, type Variant } from "./log.ts";
import { postJson } from "./sending.ts";
import { nameSteps } from "./step-names.ts";

/** Where the steps send to. Plain data: every worker process is told the same. */
export interface Outside {
  readonly registryUrl: string;
  readonly mailUrl: string;
  /** Where nothing listens. */
  readonly closedUrl: string;
  /** The faults of the destinations; null = none. */
  readonly plan: FaultPlan | null;
}

const permitInput = z.object({
  permitId: z.string(),
  activities: z.array(
    z.object({
      at: z.string(),
      performedBy: z.string(),
      group: z.string(),
      channel: z.string(),
      department: z.string(),
    }),
  ),
});

/** What both services answer: the id of what was made. */
const answered = z.union([
  z.object({ entryId: z.string() }).transform(({ entryId }) => ({ id: entryId })),
  z.object({ messageId: z.string() }).transform(({ messageId }) => ({ id: messageId })),
]);

const registry = defineDestination("registry", {
  idempotency: { by: "key", window: "24h" },
  owners: { outage: "registry-desk" },
  retry: { firstDelay: "200ms" },
});

const mail = defineDestination("mail", {
  idempotency: { by: "key", window: "24h" },
  owners: { outage: "post-room" },
  retry: { firstDelay: "200ms" },
});

/** One case type for each sequence of activities. */
export function permitCaseTypes(
  variants: readonly Variant[],
  outside: Outside,
): readonly CaseType<PermitInput>[] {
  return variants.map((variant) => permitCaseType(variant, outside));
}

/** The case type of the n-th variant (from 1). */
export function permitTypeName(variantNumber: number): string {
  return `permit-${String(variantNumber).padStart(3, "0")}`;
}

function permitCaseType({ number, steps }: Variant, outside: Outside): CaseType<PermitInput> {
  const { names } = nameSteps(steps);
  const [first, ...others] = steps.map((step, index) => ({
    name: names[index] ?? "",
    activity: { ...step, position: index + 1 },
  }));
  if (first === undefined) throw new RangeError(`variant ${number} has no step`);
  const begun = defineCase(permitTypeName(number), {
    version: 1,
    owner: "permits-desk",
    input: permitInput,
  }).step(first.name, sendStep(first.activity, outside));
  return others.reduce((type, { name, activity }) => type.step(name, sendStep(activity, outside)), begun);
}

type PlacedActivity = Parameters<typeof effectRequest>[1];

/** Each step enters one activity in the registry, or prints and sends it by mail. */
function sendStep(activity: PlacedActivity, outside: Outside) {
  const isMail = destinationOf(activity.activity) === "mail";
  const url = isMail ? outside.mailUrl : outside.registryUrl;
  return {
    to: isMail ? mail : registry,
    request: ({ input }: { readonly input: PermitInput }) => effectRequest(input, activity).body,
    run: async ({ request, ...context }: SendContext) => {
      const { permitId } = context.input;
      const { path } = effectRequest(context.input, activity);
      // A refused connection is a fault of the client's making, tied to the journaled number of the attempt.
      const reached = urlForAttempt({
        plan: outside.plan,
        step: { ...activity, caseId: permitId },
        attemptNumber: context.attempt,
        url,
        closedUrl: outside.closedUrl,
      });
      return answered.parse(await postJson({ ...context, url: `${reached}${path}`, body: request }));
    },
  };
}

interface SendContext {
  readonly input: PermitInput;
  readonly request: Readonly<Record<string, string | number>>;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly attempt: number;
  readonly signal: AbortSignal;
}
