// The outside world in a process of its own, which no fault touches: what its ledger says decides at the end of a run.
// Says its port, then serves until it is killed. `POST /TYPE/STEP` is an effect where the kind of the case type TYPE lets
// it be one; `GET /effects/KEY?type=TYPE&token=N` finds it, and raises a fence; `GET /versions/CASE.STEP` is what a write
// is conditional on. `GET /ledger?from=N` tells the requests from the Nth on, `POST /ledger/answer-after?ms=N` makes it slow.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { kindOf } from "./kinds.ts";
import type { LedgerLine } from "./ledger.ts";

interface Effect {
  readonly id: string;
  readonly fingerprint: string | null;
}

/** What there is, by what it is the effect of: `CASE.STEP`, or the key where only the key tells one from another. */
const effects = new Map<string, Effect>();
/** Highest tokens seen, and those that were spent, by `CASE.STEP`. */
const fences = new Map<string, number>();
const spent = new Set<string>();
const lines: LedgerLine[] = [];
let answerAfterMs = 0;

interface Sent {
  readonly caseType: string;
  readonly key: string;
  readonly token: number;
  readonly fingerprint: string | null;
  readonly condition: string | null;
}

type Verdict =
  | { readonly kind: "execute" }
  | { readonly kind: "known"; readonly effect: Effect }
  | { readonly kind: "refuse"; readonly status: number };

const EXECUTE: Verdict = { kind: "execute" };

function placeOf(caseType: string, key: string): string {
  const isByKey = ["key", "lookup", "none"].includes(kindOf(caseType));
  return isByKey ? key : key.slice(0, key.lastIndexOf("."));
}

/** What the destination does about a request, by its kind. */
function judge({ caseType, key, token, condition }: Sent): Verdict {
  const place = placeOf(caseType, key);
  const effect = effects.get(place);
  switch (kindOf(caseType)) {
    case "key":
      return effect === undefined ? EXECUTE : { kind: "known", effect };
    case "unique":
      return effect === undefined ? EXECUTE : { kind: "refuse", status: 409 };
    case "if-match":
      return condition === versionOf(place) ? EXECUTE : { kind: "refuse", status: 412 };
    case "fence": {
      const isStale = token < (fences.get(place) ?? 0) || spent.has(`${place} ${token}`);
      if (isStale) return { kind: "refuse", status: 409 };
      fences.set(place, token);
      spent.add(`${place} ${token}`);
      return EXECUTE;
    }
    case "lookup":
    case "none":
      return EXECUTE;
    case "transaction":
      throw new Error("what is written in a transaction is not sent anywhere");
  }
}

function versionOf(place: string): string {
  return effects.get(place)?.id ?? "not written yet";
}

async function receive(sent: Sent, path: string, response: ServerResponse): Promise<void> {
  const { caseType, key, token, fingerprint } = sent;
  const verdict = judge(sent);
  const effect = verdict.kind === "known" ? verdict.effect : { id: `E-${lines.length + 1}`, fingerprint };
  if (verdict.kind === "execute") effects.set(placeOf(caseType, key), effect);
  lines.push({ path, key, token, isNew: verdict.kind === "execute" });
  if (answerAfterMs > 0) await pause(answerAfterMs);
  answer(response, verdict.kind === "refuse" ? verdict.status : 201, effect);
}

function look(caseType: string, key: string, token: number, response: ServerResponse): void {
  const place = placeOf(caseType, key);
  fences.set(place, Math.max(fences.get(place) ?? 0, token));
  const found = effects.get(place);
  answer(response, found === undefined ? 404 : 200, found ?? null);
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://here");
  for await (const _ of request) continue;
  const [, first = "", second = ""] = pathname.split("/");
  switch (first) {
    case "ledger":
      if (second === "answer-after") answerAfterMs = Number(searchParams.get("ms"));
      answer(response, 200, { lines: lines.slice(Number(searchParams.get("from") ?? 0)) });
      return;
    case "effects":
      look(searchParams.get("type") ?? "", second, Number(searchParams.get("token")), response);
      return;
    case "versions":
      response.end(versionOf(second));
      return;
    default: {
      const header = (name: string): string | null => request.headers[name]?.toString() ?? null;
      const sent = {
        caseType: first,
        key: header("idempotency-key") ?? "",
        token: Number(header("fencing-token")),
        fingerprint: header("fingerprint"),
        condition: header("if-match"),
      };
      await receive(sent, pathname, response);
    }
  }
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
