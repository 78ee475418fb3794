/** One dry attempt for each destination: what it declares for that, under the meter. It changes nothing outside. */

import type { Failure } from "../core/failure.ts";
import type { DestinationOutline } from "../core/outline.ts";
import type { Clock } from "../core/ports.ts";
import type { DestinationCalls } from "../define/destination-calls.ts";
import { watchedQuestion } from "../engine/metering.ts";
import { sortFailure } from "../triage/sort.ts";
import type { MeteredEvidence } from "../wire/evidence.ts";
import type { AttemptMeter } from "../wire/meter.ts";
import { finding, type Finding } from "./finding.ts";
import { examineDryAttempt } from "./seen.ts";

/** How long one may take, in ms. */
const PING_MS_MAX = 10_000;

/** What is tried. */
export interface DryAttempt {
  readonly destination: DestinationOutline;
  readonly ping: NonNullable<DestinationCalls["ping"]>;
}

/** What came of it. */
export interface LiveReport {
  readonly destination: string;
  readonly credentialId: string;
  /** True when it answered and took the credential. */
  readonly isReached: boolean;
  readonly tookMs: number;
  /** Requests that left. */
  readonly requests: number;
  /** How many of them the client made again by itself. */
  readonly repeats: number;
  readonly clients: readonly string[];
  /** True where there may have been more requests. */
  readonly isAtLeast: boolean;
  /** Why it failed; null = it did not. */
  readonly failure: Failure | null;
  readonly findings: readonly Finding[];
}

/** Tries a destination. Never rejects for what it does. `meter` must have been started. */
export async function tryDestination(
  { destination, ping }: DryAttempt,
  { clock, meter }: { readonly clock: Clock; readonly meter: AttemptMeter },
): Promise<LiveReport> {
  const { name, credentialId, retry } = destination;
  const startedAt = clock.monotonic();
  const stop = new AbortController();
  const ended = new AbortController();
  const watch = meter.open(watchedQuestion(`ping ${name}`, stop.signal, () => clock.now()));
  const { fetch, dispatcher } = watch.transport;
  const context = { credentialId, signal: stop.signal, fetch, dispatcher };
  const [end] = await Promise.race([
    Promise.allSettled([watch.run(async () => ping(context))]),
    tooLong(clock, ended.signal),
  ]);
  ended.abort();
  const isLate = end.status === "rejected" && end.reason === TOO_LONG;
  stop.abort(TOO_LONG);
  const evidence = watch.end();
  const sorting = { destination: name, now: clock.now(), evidence, sorters: [] };
  const failure =
    end.status === "fulfilled"
      ? null
      : sortFailure(end.reason, { ...sorting, stopped: isLate ? "deadline" : null });
  const seen = evidence === null ? [] : examineDryAttempt(name, evidence, retry);
  const found = failure === null ? [] : [examineFailure(name, credentialId, failure)];
  return {
    destination: name,
    credentialId,
    isReached: failure === null,
    tookMs: Math.round(clock.monotonic() - startedAt),
    requests: evidence?.sentCount ?? 0,
    repeats: evidence?.repeatCount ?? 0,
    clients: clientsIn(evidence),
    isAtLeast: (evidence?.blindSpots.length ?? 1) > 0,
    failure,
    findings: [...found, ...plainHttp(name, evidence), ...seen],
  };
}

const TOO_LONG = new Error(`no answer within ${PING_MS_MAX} ms`);

async function tooLong(clock: Clock, ended: AbortSignal): Promise<readonly [PromiseRejectedResult]> {
  await clock.sleep(PING_MS_MAX, ended);
  return [{ status: "rejected", reason: TOO_LONG }];
}

function clientsIn(evidence: MeteredEvidence | null): readonly string[] {
  const names = (evidence?.requests ?? []).map(({ client }) => client).filter((one) => one !== null);
  return [...new Set(names)];
}

function examineFailure(destination: string, credentialId: string, failure: Failure): Finding {
  const at = { destination };
  const { sentence } = failure;
  switch (failure.cause) {
    case "denied":
      return finding("CREDENTIAL_REFUSED", at, {
        sentence,
        remedy: `a good credential for ${credentialId}, with the rights that its steps need`,
      });
    case "throttled":
    case "quota":
      return finding("SLOWED_DOWN", at, { sentence, remedy: "try again later, or a higher limit there" });
    case "bug":
      return failure.confidence === "proved"
        ? finding("TLS_FAULT", at, {
            sentence,
            remedy: "its certificate, or the authorities that are trusted here",
          })
        : finding("PING_FAILED", at, { sentence, remedy: "the code of ping" });
    case "transient":
    case "stopped":
      return finding("UNREACHABLE", at, {
        sentence,
        remedy: "its address, the network in between, or the destination",
      });
    case "rejected":
    case "conflict":
    case "precondition":
    case "gone":
      return finding("PING_FAILED", at, { sentence, remedy: "what ping asks for" });
  }
}

/** Whoever stands in between reads and changes what is sent without TLS; on this machine itself nobody does. */
function plainHttp(destination: string, evidence: MeteredEvidence | null): readonly Finding[] {
  const origin = evidence?.requests.map((one) => one.origin).find((one) => one !== null && isOpen(one));
  if (origin === undefined || origin === null) return [];
  const sentence = `What is sent to ${origin} can be read and changed on its way: it is no HTTPS.`;
  return [finding("PLAIN_HTTP", { destination }, { sentence, remedy: "https://" })];
}

function isOpen(origin: string): boolean {
  if (!origin.startsWith("http://")) return false;
  const { hostname } = new URL(origin);
  return hostname !== "localhost" && hostname !== "[::1]" && !hostname.startsWith("127.");
}
