/**
 * A server that speaks as much of Stripe's API as refunds need: forms in, JSON out, idempotency keys with their conflict,
 * Stripe's errors, and signed webhooks. It keeps a ledger, so that a test sees what really went out.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Stripe } from "stripe";

/** A refund, as far as Stripe tells of it here. */
export interface LedgerRefund {
  readonly id: string;
  readonly object: "refund";
  readonly amount: number;
  readonly payment_intent: string;
  readonly metadata: { readonly [name: string]: string };
  status: "pending" | "succeeded" | "failed";
}

/** How one request goes wrong. */
export type Trouble =
  /** It is executed, and the connection breaks before the answer. */
  | { readonly kind: "loseAnswer" }
  /** Nothing is executed; Stripe's error object. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly error: { readonly [field: string]: string };
    };

/** A running server. */
export interface StripeServer {
  readonly url: string;
  /** Every refund that was made, oldest first. */
  readonly refunds: readonly LedgerRefund[];
  /** How many requests to make one came, whatever became of them. */
  readonly requestCount: number;
  /** The next request to make a refund meets this. */
  readonly meets: (trouble: Trouble) => void;
  /** The bank decides: gives the refund its status and posts the signed event. Resolves with what was answered to it. */
  readonly settle: (
    refundId: string,
    status: "succeeded" | "failed",
    to: { readonly url: string; readonly secret: string; readonly eventId: string },
  ) => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** What Stripe keeps of a request under its key. */
interface Known {
  readonly form: string;
  readonly refund: LedgerRefund;
}

const BODY_BYTES_MAX = 64 * 1024;

/** Starts one on 127.0.0.1. `apiKey`: the only one that it lets in. */
export async function startStripeServer(apiKey: string): Promise<StripeServer> {
  const refunds: LedgerRefund[] = [];
  const byKey = new Map<string, Known>();
  const troubles: Trouble[] = [];
  let requestCount = 0;

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.headers.authorization !== `Bearer ${apiKey}`) {
      refuse(response, 401, { type: "invalid_request_error", message: "Invalid API Key provided" });
    } else if (url.pathname !== "/v1/refunds") {
      refuse(response, 404, { type: "invalid_request_error", message: "Unrecognized request URL" });
    } else if (request.method === "POST") await create(request, response);
    else {
      const about = url.searchParams.get("payment_intent");
      const data = refunds.filter(({ payment_intent: of }) => of === about);
      answer(response, 200, { object: "list", data, has_more: false, url: "/v1/refunds" });
    }
  }

  async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requestCount += 1;
    const form = await bodyOf(request);
    const trouble = troubles.shift();
    if (trouble?.kind === "answer") {
      refuse(response, trouble.status, trouble.error);
      return;
    }
    const key = request.headers["idempotency-key"];
    const known = typeof key === "string" ? byKey.get(key) : undefined;
    if (known !== undefined && known.form !== form) {
      const message = "Keys for idempotent requests can only be used with the same parameters.";
      refuse(response, 400, { type: "idempotency_error", message });
      return;
    }
    const refund = known?.refund ?? refundOf(form, refunds.length + 1);
    if (known === undefined) refunds.push(refund);
    if (typeof key === "string") byKey.set(key, { form, refund });
    if (trouble?.kind === "loseAnswer") request.socket.destroy();
    else answer(response, 200, refund, known === undefined ? {} : { "idempotent-replayed": "true" });
  }

  return {
    url: `http://127.0.0.1:${port}`,
    refunds,
    get requestCount() {
      return requestCount;
    },
    meets: (trouble) => void troubles.push(trouble),
    settle: async (refundId, status, { url, secret, eventId }) => {
      const refund = refunds.find(({ id }) => id === refundId);
      if (refund === undefined) throw new Error(`there is no refund ${refundId}`);
      refund.status = status;
      const type = status === "failed" ? "refund.failed" : "refund.updated";
      const created = Math.floor(Date.now() / 1_000);
      const payload = JSON.stringify({
        id: eventId,
        object: "event",
        type,
        created,
        data: { object: refund },
      });
      // Signed by Stripe's own library, as Stripe signs.
      const signature = new Stripe(apiKey).webhooks.generateTestHeaderString({ payload, secret });
      const headers = { "content-type": "application/json", "stripe-signature": signature };
      return (await fetch(url, { method: "POST", headers, body: payload })).status;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refundOf(form: string, number: number): LedgerRefund {
  const fields = new URLSearchParams(form);
  const metadata = [...fields].flatMap(([name, value]) => {
    const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  return {
    id: `re_${number}`,
    object: "refund",
    amount: Number(fields.get("amount")),
    payment_intent: fields.get("payment_intent") ?? "",
    metadata: Object.fromEntries(metadata),
    status: "pending",
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) throw new Error(`a form of more than ${BODY_BYTES_MAX} bytes`);
  }
  return text;
}

function refuse(response: ServerResponse, status: number, error: { readonly [field: string]: string }): void {
  answer(response, status, { error });
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_local", ...headers });
  response.end(JSON.stringify(body));
}
