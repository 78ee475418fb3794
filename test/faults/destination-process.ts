// The outside world in a process of its own, which no fault touches: what its ledger says decides at the end of a run.
// Says its port, then serves until it is killed. `POST /NAME/STEP` is an effect, once per Idempotency-Key where the case
// type NAME is of a kind that deduplicates; `GET /effects/KEY` finds one; `GET /ledger?from=N` tells the requests from
// the Nth on, and `POST /ledger/answer-after?ms=N` makes it slow.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { kindOf, KINDS, type KindName } from "./kinds.ts";
import type { LedgerLine } from "./ledger.ts";

const lines: LedgerLine[] = [];
const effects = new Map<string, { readonly id: string }>();
let answerAfterMs = 0;

function execute(kind: KindName, key: string): { readonly id: string; readonly isNew: boolean } {
  const known = effects.get(key);
  if (known !== undefined && KINDS[kind].isOnce) return { ...known, isNew: false };
  const effect = { id: `E-${lines.length + 1}` };
  effects.set(key, effect);
  return { ...effect, isNew: true };
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://here");
  for await (const _ of request) continue;
  const [, first = "", second = ""] = url.pathname.split("/");
  if (first === "ledger") {
    if (second === "answer-after") answerAfterMs = Number(url.searchParams.get("ms"));
    answer(response, 200, { lines: lines.slice(Number(url.searchParams.get("from") ?? 0)) });
    return;
  }
  if (first === "effects") {
    const found = effects.get(decodeURIComponent(second));
    answer(response, found === undefined ? 404 : 200, found ?? null);
    return;
  }
  const key = String(request.headers["idempotency-key"]);
  const { id, isNew } = execute(kindOf(first), key);
  lines.push({ path: url.pathname, key, token: Number(request.headers["fencing-token"]), isNew });
  if (answerAfterMs > 0) await pause(answerAfterMs);
  answer(response, 201, { id });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const server = createServer((request, response) => void serve(request, response));
// A worker that was stopped for a while must find its connections as they were, or its late request would not go out.
server.keepAliveTimeout = 300_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
});
// Whoever started it is gone.
process.stdin.on("end", () => process.exit(0)).resume();
