/** What attempts really sent, told by findings of the meter: of cases that ran, and of one dry attempt. Pure. */

import type { CaseState } from "../core/case-state.ts";
import type { WireFindingCode } from "../core/wire-evidence.ts";
import { settingOf } from "../wire/clients.ts";
import type { MeteredEvidence } from "../wire/evidence.ts";
import { findingsOf, sayFinding, type RequestBounds } from "../wire/findings.ts";
import { finding, type Finding } from "./finding.ts";

/** Findings of the meter about the attempts of cases, each once per step and client, with how often. */
export function examineSeen(states: readonly CaseState[]): readonly Finding[] {
  const seen = new Map<string, { readonly finding: Finding; count: number }>();
  for (const { caseType, steps } of states) {
    for (const [step, { intent }] of Object.entries(steps)) {
      for (const { wire } of intent?.attempts ?? []) {
        for (const one of wire?.findings ?? []) {
          const place = { caseType, step, destination: intent?.destination ?? "" };
          const key = JSON.stringify([caseType, step, one]);
          const known = seen.get(key);
          if (known !== undefined) known.count += 1;
          else seen.set(key, { finding: told(one, place), count: 1 });
        }
      }
    }
  }
  return [...seen.values()].map(({ finding: one, count }) => ({
    ...one,
    sentence: `${one.sentence} Seen in ${count} ${count === 1 ? "attempt" : "attempts"} of the newest cases.`,
  }));
}

interface Place {
  readonly caseType?: string;
  readonly step?: string;
  readonly destination: string;
}

function told(
  one: { readonly code: WireFindingCode; readonly client: string | null },
  place: Place,
): Finding {
  // The sentence of the meter ends with the setting; it stands apart here.
  const sentence = sayFinding(one).replace(/; turn that off: .*$/, ".");
  return finding(one.code, place, { sentence, remedy: remedyFor(one) });
}

function remedyFor({
  code,
  client,
}: {
  readonly code: WireFindingCode;
  readonly client: string | null;
}): string {
  switch (code) {
    case "HIDDEN_RETRY":
    case "UNSAFE_HIDDEN_RETRY":
    case "MULTIPLIED":
      return settingOf(client);
    case "AUTO_KEY_PER_CALL":
      return "the step's idempotencyKey with each call";
    case "LATE_REQUEST":
      return "await every request inside run, and give it the signal";
    case "BLIND":
      return client === null
        ? "nothing, or the step's own fetch where the client takes one"
        : settingOf(client);
  }
}

/** Findings about what a dry attempt sent, also where nothing had to be repeated: some clients say how often they would. */
export function examineDryAttempt(
  destination: string,
  evidence: MeteredEvidence,
  bounds: RequestBounds,
): readonly Finding[] {
  const found = findingsOf(evidence, bounds, []).map((one) => told(one, { destination }));
  const announced = evidence.requests.find(({ clientTry }) => (clientTry?.max ?? 1) > 1);
  const tries = announced?.clientTry?.max ?? 1;
  if (announced === undefined || found.some(({ code }) => code === "HIDDEN_RETRY")) return found;
  const who = announced.client ?? "The client";
  const remedy = settingOf(announced.client);
  const hidden = finding(
    "HIDDEN_RETRY",
    { destination },
    {
      sentence: `${who} says that it sends one request up to ${tries} times by itself.`,
      remedy,
    },
  );
  const product = tries * bounds.maxAttempts;
  if (product <= bounds.maxRequests) return [...found, hidden];
  const multiplied = finding(
    "MULTIPLIED",
    { destination },
    {
      sentence:
        `${who} sends one request up to ${tries} times, times ${bounds.maxAttempts} attempts of a step: ${product} ` +
        `requests, where ${bounds.maxRequests} are allowed.`,
      remedy,
    },
  );
  return [...found, hidden, multiplied];
}
