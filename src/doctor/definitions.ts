/** What can be said of definitions without running them. Pure. */

import { ACT_WITHIN_MS_MIN } from "../core/claim.ts";
import { reachedBy } from "../core/sends.ts";
import type {
  ApprovalStepOutline,
  CaseOutline,
  DestinationOutline,
  SendStepOutline,
  StepOutline,
} from "../core/outline.ts";
import { needsCheck } from "../core/repeat-safety.ts";
import { describeDuration } from "../define/duration.ts";
import { finding, type Finding, type FindingPlace } from "./finding.ts";

/** What the findings rest on beside the definitions. */
export interface Habits {
  /** How long people usually take until they have repaired something, in ms. */
  readonly repairMs: number;
}

/** A case type, and what is said of the clients of its destinations. */
export interface Examined {
  readonly outline: CaseOutline;
  readonly destinations: { readonly [name: string]: Client };
}

/** What is said of a client: how it is tried out, and how often it sends one request by itself. */
interface Client {
  readonly ping: unknown;
  readonly clientTries: number | null;
}

/** Findings about case types, each destination once. */
export function examineDefinitions(caseTypes: readonly Examined[], habits: Habits): readonly Finding[] {
  const destinations = new Map<string, readonly [DestinationOutline, Client]>();
  for (const { outline, destinations: calls } of caseTypes) {
    for (const one of outline.steps.flatMap(reachedBy)) {
      destinations.set(one.name, [one, calls[one.name] ?? { ping: null, clientTries: null }]);
    }
  }
  return [
    ...[...destinations.values()].flatMap(([one, client]) => examineDestination(one, client, habits)),
    ...caseTypes.flatMap(({ outline }) => outline.steps.flatMap((step) => examineStep(outline, step))),
  ];
}

function examineDestination(
  destination: DestinationOutline,
  { ping, clientTries }: Client,
  { repairMs }: Habits,
): readonly Finding[] {
  const at = { destination: destination.name };
  return [
    ...examineWindow(destination, repairMs),
    ...examineOwners(destination),
    ...examineClient(destination, clientTries ?? 1),
    ...(ping !== null || clientTries !== null
      ? []
      : [
          finding("PING_MISSING", at, {
            sentence:
              `Which client sends to ${destination.name}, and what it repeats by itself, is not told by the definition, ` +
              `and there is no \`ping\` to see it by.`,
            remedy: `ping: ({ fetch, signal }) => fetch(url of anything that changes nothing, { signal })`,
          }),
        ]),
  ];
}

/** Layers multiply: what the client repeats by itself, times the attempts of a step. */
function examineClient(
  { name, repeatSafety, retry }: DestinationOutline,
  clientTries: number,
): readonly Finding[] {
  if (clientTries === 1) return [];
  const at = { destination: name };
  const remedy = `turn the client's own repeats off, and say clientTries: 1 of ${name}`;
  const { maxAttempts, maxRequests } = retry;
  const most = clientTries * maxAttempts;
  const unsafe = finding("UNSAFE_HIDDEN_RETRY", at, {
    sentence:
      `The client sends one request to ${name} up to ${clientTries} times by itself, and nothing there tells a repeat ` +
      `from another order (${repeatSafety.by}).`,
    remedy,
  });
  const multiplied = finding("MULTIPLIED", at, {
    sentence:
      `The client sends one request to ${name} up to ${clientTries} times, times ${maxAttempts} attempts of a step: ` +
      `${most} requests, where ${maxRequests} are allowed.`,
    remedy: `${remedy}; or fewer retry: { maxAttempts }`,
  });
  const isUnsafe = repeatSafety.by === "lookup" || repeatSafety.by === "none";
  return [...(isUnsafe ? [unsafe] : []), ...(most > maxRequests ? [multiplied] : [])];
}

function examineWindow(
  { name, repeatSafety, retry }: DestinationOutline,
  repairMs: number,
): readonly Finding[] {
  if (repeatSafety.by !== "key") return [];
  const at = { destination: name };
  const { windowMs } = repeatSafety;
  const tries = describeDuration(retry.giveUpAfterMs);
  const window = describeDuration(windowMs);
  if (windowMs <= retry.giveUpAfterMs) {
    return [
      finding("WINDOW_TOO_SHORT", at, {
        sentence: `${name} knows a key again for ${window} only, and a step is tried for ${tries}: later tries are not repeats there.`,
        remedy: `retry: { giveUpAfter } below ${window}, or a longer window if ${name} has one`,
      }),
    ];
  }
  if (windowMs >= retry.giveUpAfterMs + repairMs) return [];
  return [
    finding("WINDOW_TIGHT", at, {
      sentence:
        `${name} knows a key again for ${window}; after trying for ${tries} people have ` +
        `${describeDuration(windowMs - retry.giveUpAfterMs)} to repair what is unknown, and usually take ${describeDuration(repairMs)}.`,
      remedy: `a shorter retry: { giveUpAfter }, a \`check\` on each step sent there, or a longer window`,
    }),
  ];
}

function examineOwners({ name, owners }: DestinationOutline): readonly Finding[] {
  const at = { destination: name };
  const missing = (who: string, what: string): Pick<Finding, "sentence" | "remedy"> => ({
    sentence: `Nobody is named for ${name} who ${what}: it falls to the owner of each case type.`,
    remedy: `owners: { ${who}: "…" } of ${name}`,
  });
  return [
    ...(owners.access === null
      ? [finding("ACCESS_OWNER_MISSING", at, missing("access", "can restore access"))]
      : []),
    ...(owners.input === null
      ? [finding("INPUT_OWNER_MISSING", at, missing("input", "can correct input"))]
      : []),
    ...(owners.outage === null
      ? [finding("OUTAGE_OWNER_MISSING", at, missing("outage", "looks after outages"))]
      : []),
  ];
}

function examineStep(outline: CaseOutline, step: StepOutline): readonly Finding[] {
  switch (step.kind) {
    case "approval":
      return examineApproval(outline, step);
    case "step":
      return [
        ...examineSend(outline, step),
        ...examineLapse(outline, step),
        ...(step.undo === null ? [] : examineSend(outline, step.undo)),
      ];
    case "each":
      return examineStep(outline, step.item);
    // Each of these has an end by itself.
    case "waitForEvent":
    case "poll":
    case "sleep":
      return [];
  }
}

function examineApproval(
  { name }: CaseOutline,
  { name: step, by, expiresMs }: ApprovalStepOutline,
): readonly Finding[] {
  if (expiresMs !== null) return [];
  return [
    finding(
      "APPROVAL_WITHOUT_END",
      { caseType: name, step },
      {
        sentence: `${step} waits for ${by} without an end: a question that nobody sees stands for ever.`,
        remedy: `expires: "3d", say, on ${step}`,
      },
    ),
  ];
}

function examineSend({ name }: CaseOutline, step: SendStepOutline): readonly Finding[] {
  const { destination, deadlineMs } = step;
  const at = { caseType: name, step: step.name, destination: destination.name };
  const long =
    deadlineMs <= ACT_WITHIN_MS_MIN
      ? []
      : [
          finding("DEADLINE_LONG", at, {
            sentence:
              `One send of ${step.name} may take ${describeDuration(deadlineMs)}: for as long, and a lease more, a ` +
              `worker that hangs keeps the case, where ${describeDuration(ACT_WITHIN_MS_MIN)} would do.`,
            remedy: `a shorter deadline on ${step.name}, and a \`check\` or a key for the answer that comes later`,
          }),
        ];
  return [...examineRepeat(step, at), ...long];
}

function examineRepeat(step: SendStepOutline, at: FindingPlace): readonly Finding[] {
  const { name, destination, hasCheck, hasRequest } = step;
  const { repeatSafety } = destination;
  if (needsCheck(repeatSafety) && !hasCheck) {
    return [
      finding("CHECK_MISSING", at, {
        sentence: `${destination.name} is repeated by ${repeatSafety.by}, and ${name} has no \`check\`: whatever is unknown stays so.`,
        remedy: `check: on ${name}, which asks ${destination.name} what is there`,
      }),
    ];
  }
  if (repeatSafety.by === "none") {
    return [
      hasCheck
        ? finding("LOOKUP_AS_NONE", at, {
            sentence: `${name} has a \`check\`, so ${destination.name} is treated as \`lookup\`, while it says \`none\`.`,
            remedy: `idempotency: { by: "lookup" } of ${destination.name}, if every step sent there has a check`,
          })
        : finding("NO_REPEAT_SAFETY", at, {
            sentence: `${name} is a write without an idempotency key and without a \`check\`: every lost answer goes to a person.`,
            remedy: `a key, a natural name or a \`check\`: see what makes a repeat safe`,
          }),
    ];
  }
  if (repeatSafety.by !== "key" || hasRequest) return [];
  return [
    finding("REQUEST_MISSING", at, {
      sentence:
        `${name} has no \`request\`, so what is sent under its key is made anew for each attempt: a provider refuses ` +
        `another request under a known key, and after a correction of the input it is not sent again by itself.`,
      remedy: `request: ({ input, results }) => what to send, on ${name}; run then gets it`,
    }),
  ];
}

/** A step whose confirmation can lapse, and of which nobody says what then. */
function examineLapse({ name }: CaseOutline, step: SendStepOutline): readonly Finding[] {
  const { onLapse, requires, uses, closure } = step;
  const canLapse = requires.length > 0 || closure.length > 0 || uses !== null;
  if (onLapse !== "review" || !canLapse) return [];
  const by = requires.length > 0 ? `when "${requires[0]?.name ?? ""}" breaks` : "by a correction";
  return [
    finding(
      "LAPSE_TO_PERSON",
      { caseType: name, step: step.name, destination: step.destination.name },
      {
        sentence: `Once ${step.name} is confirmed and lapses, ${by} for example, a person decides.`,
        remedy: `onLapse: "recheck", "redo" or "undo" on ${step.name}, if one of them is right there`,
      },
    ),
  ];
}
