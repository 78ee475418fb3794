import { z } from "zod";
import { didNotHappen, happened, type CheckReply } from "../../src/define/answers.ts";
import { expectOk } from "../../src/triage/response.ts";

/** Any input. */
export const input = z.record(z.string(), z.unknown());
/** What the test destination answers. */
const made = z.object({ id: z.string() });

/** Where the test destination is. */
interface At {
  readonly url: string;
}

/** What of the context of `run` and `check` these functions read. */
interface Sending {
  readonly request?: unknown;
  readonly input: unknown;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly signal: AbortSignal;
}

/** Sends a POST to the test destination as a step does. */
export function post(destination: At, path: string) {
  return async ({
    request,
    input: whole,
    idempotencyKey,
    fencingToken,
    signal,
  }: Sending): Promise<{ id: string }> => {
    const response = await fetch(`${destination.url}${path}`, {
      method: "POST",
      headers: { "idempotency-key": idempotencyKey, "fencing-token": String(fencingToken) },
      body: JSON.stringify(request === undefined ? whole : request),
      signal,
    });
    return made.parse(await (await expectOk(response)).json());
  };
}

/** Asks the test destination whether the effect is there. */
export function look(destination: At) {
  return async ({
    idempotencyKey,
    signal,
  }: Pick<Sending, "idempotencyKey" | "signal">): Promise<CheckReply<{ id: string }>> => {
    const response = await fetch(`${destination.url}/effects/${idempotencyKey}`, { signal });
    if (response.status === 404) {
      await response.text();
      return didNotHappen();
    }
    const found = made.parse(await (await expectOk(response)).json());
    return happened({ id: found.id }, { seenAs: found.id });
  };
}
