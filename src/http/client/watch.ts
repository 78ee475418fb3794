/** Hints of changes at a server, for whoever shows cases. */

import { FootholdError } from "../../core/errors.ts";
import { CHANGES_PATH } from "../api/routes.ts";
import type { Change } from "../api/types.ts";
import { problemError, type ClientOptions } from "./client.ts";

/** What to watch. */
export interface WatchOptions {
  /** Cases that are shown; at most 100. */
  readonly caseIds?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Gives hints as they come, until the server ends the stream (within 15 min, or with the session) or the signal does. Then
 * read anew and watch again, not at once. Throws as every call does where it is refused.
 */
export async function* watchChanges(
  options: ClientOptions,
  { caseIds = [], signal }: WatchOptions = {},
): AsyncGenerator<Change, void, undefined> {
  const { baseUrl = "", token, fetch = globalThis.fetch } = options;
  const query = new URLSearchParams(caseIds.map((caseId): [string, string] => ["case", caseId])).toString();
  const url = `${baseUrl.replace(/\/+$/, "")}${CHANGES_PATH}${query === "" ? "" : `?${query}`}`;
  const response = await fetch(url, {
    redirect: "error",
    headers: {
      accept: "text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok || response.body === null) {
    const told: unknown = await response.json().catch(() => null);
    throw problemError(`GET ${url}`, response.status, told);
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  try {
    yield* readChanges(reader);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Longest event that is waited for, in characters: ours are far shorter. */
const EVENT_CHARS_MAX = 10_000;

async function* readChanges(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Change, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    if (text.length > EVENT_CHARS_MAX) {
      throw new FootholdError("SERVER_UNREACHABLE", "What the server sends are no hints of changes.");
    }
    for (const event of events) {
      const data = /^data: ?(.*)$/m.exec(event)?.[1];
      const change: unknown = data === undefined ? null : JSON.parse(data);
      if (isChange(change)) yield change;
    }
  }
}

/** A heartbeat, and what a later server may say, is none. */
function isChange(value: unknown): value is Change {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    (value.kind === "list" || value.kind === "case")
  );
}
