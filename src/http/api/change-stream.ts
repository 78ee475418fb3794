/** Hints of changes as server-sent events: bounded in number, with a heartbeat, and over when the session is. */

import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { FootholdError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import { mayDo } from "../../core/rights.ts";
import { isCaseId } from "../../desk/requests.ts";
import { LISTENER_CASES_MAX, LISTENERS_MAX, LISTENERS_OF_ONE_MAX, type ChangeFeed } from "./change-feed.ts";
import type { Identity, SignIn } from "./identity.ts";
import type { Change } from "./types.ts";

/** Default of {@link StreamParts.beatMs}. */
export const BEAT_MS = 10_000;
/** How long one may last; a page then asks anew. */
const STREAM_MS_MAX = 15 * 60_000;
/** Hints that wait for a slow reader; of more it is told once that a list changed. */
const WAITING_MAX = 200;

/** What a stream is made of. */
export interface StreamParts {
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly signIn: SignIn;
  /** How often a stream shows that it is there, and looks whether its session is, in ms. */
  readonly beatMs: number;
}

/** Answers `GET /api/v1/changes`. Throws `NOT_SIGNED_IN`, `INVALID_REQUEST`, `TOO_MANY_REQUESTS`. */
export async function streamChanges(
  c: Context,
  { feed, clock, signIn, beatMs }: StreamParts,
): Promise<Response> {
  // The answer to HEAD has no body, so nobody would ever end it.
  if (c.req.raw.method === "HEAD")
    throw new FootholdError("INVALID_REQUEST", "Changes are told to GET alone.");
  const header = (name: string): string | undefined => c.req.header(name);
  const ask = (): Promise<Identity | null> => signIn({ header, isWrite: false, isWaiting: true });
  let who = await ask();
  if (who === null) throw new FootholdError("NOT_SIGNED_IN", "Nobody is signed in, so nothing is told.");
  const caseIds = readCaseIds(new URL(c.req.url).searchParams);
  const waiting: Change[] = [];
  let wake = new AbortController();
  const stop = feed.listen({
    caseIds,
    person: who.person?.personId ?? who.name,
    sees: (one) => who !== null && mayDo(who.grants, "see", one),
    onChange: (change) => {
      if (waiting.length < WAITING_MAX) waiting.push(change);
      else waiting.splice(0, waiting.length, { kind: "list" });
      wake.abort();
    },
  });
  if (typeof stop === "string") throw tooMany(stop);
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => {
      stop();
      wake.abort();
    });
    const endsAt = clock.monotonic() + STREAM_MS_MAX;
    try {
      while (!stream.aborted && clock.monotonic() < endsAt) {
        // Rights are looked up anew as with every other request.
        who = await ask();
        if (who === null) break;
        await stream.writeSSE({ event: "beat", data: "{}" });
        const beatAt = clock.monotonic() + beatMs;
        while (!stream.aborted && clock.monotonic() < beatAt) {
          for (const change of waiting.splice(0)) {
            await stream.writeSSE({ event: change.kind, data: JSON.stringify(change) });
          }
          wake = new AbortController();
          if (waiting.length === 0) await clock.sleep(beatAt - clock.monotonic(), wake.signal);
        }
      }
    } finally {
      stop();
    }
  });
}

function tooMany(of: "tooManyOfAll" | "tooManyOfOne"): FootholdError {
  const pages =
    of === "tooManyOfAll" ? `${LISTENERS_MAX} pages` : `${LISTENERS_OF_ONE_MAX} pages of this person`;
  return new FootholdError("TOO_MANY_REQUESTS", `${pages} listen already; read again now and then.`);
}

function readCaseIds(search: URLSearchParams): readonly string[] {
  const unknown = [...new Set(search.keys())].filter((name) => name !== "case");
  const caseIds = search.getAll("case");
  const fault =
    unknown.length > 0
      ? { path: (unknown[0] ?? "").slice(0, 60), message: "is not a parameter here; there is: case" }
      : caseIds.length > LISTENER_CASES_MAX
        ? { path: "case", message: `is given more than ${LISTENER_CASES_MAX} times` }
        : null;
  if (fault === null) return caseIds.filter(isCaseId);
  throw new FootholdError("INVALID_REQUEST", `The query cannot be read: ${fault.path} ${fault.message}.`, {
    details: { fields: [fault] },
  });
}
