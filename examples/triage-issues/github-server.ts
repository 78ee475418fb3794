/**
 * A server that speaks as much of GitHub's API as triage needs: labels and comments of an issue, its errors, and webhooks
 * signed as GitHub signs. It keeps all that was written, so that a test sees what is really there.
 */

import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A comment that was written. */
export interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly body: string;
}

/** How the next write goes wrong. */
export type Trouble =
  /** It is executed, and the connection breaks before the answer. */
  | { readonly kind: "loseAnswer" }
  /** Nothing is executed. */
  | { readonly kind: "answer"; readonly status: number; readonly message: string };

/** A running server. */
export interface GitHubServer {
  readonly url: string;
  readonly comments: readonly Comment[];
  /** Writes that came, whatever became of them. */
  readonly writeCount: number;
  /** By issue. */
  readonly labelsOf: (issue: number) => readonly string[];
  /** The next write meets this. */
  readonly meets: (trouble: Trouble) => void;
  readonly stop: () => Promise<void>;
}

const PATH = /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/(labels|comments)$/;
const BODY_BYTES_MAX = 64 * 1024;

/** Starts one on 127.0.0.1. `token`: the only one that it lets in. */
export async function startGitHubServer(token: string): Promise<GitHubServer> {
  const comments: Comment[] = [];
  const labels = new Map<number, Set<string>>();
  const troubles: Trouble[] = [];
  let writeCount = 0;

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ""] = (request.url ?? "/").split("?");
    const [, number = "", what = ""] = PATH.exec(path) ?? [];
    if (request.headers.authorization !== `token ${token}`) {
      refuse(response, 401, "Bad credentials");
    } else if (what === "") refuse(response, 404, "Not Found");
    else if (request.method === "GET") answer(response, 200, list(Number(number), what));
    else await write(Number(number), what, request, response);
  }

  function list(issue: number, what: string): readonly object[] {
    if (what === "comments") return comments.filter((one) => one.issue === issue);
    return [...(labels.get(issue) ?? [])].map((name) => ({ name }));
  }

  async function write(
    issue: number,
    what: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    writeCount += 1;
    // Only our own example writes here, and this is what it sends.
    const sent = JSON.parse(await bodyOf(request)) as { readonly body?: string; readonly labels?: string[] };
    const trouble = troubles.shift();
    if (trouble?.kind === "answer") {
      refuse(response, trouble.status, trouble.message);
      return;
    }
    if (what === "comments") comments.push({ id: comments.length + 1, issue, body: sent.body ?? "" });
    else labels.set(issue, new Set([...(labels.get(issue) ?? []), ...(sent.labels ?? [])]));
    if (trouble?.kind === "loseAnswer") request.socket.destroy();
    else if (what === "comments") answer(response, 201, comments.at(-1));
    else answer(response, 200, list(issue, what));
  }

  return {
    url: `http://127.0.0.1:${port}`,
    comments,
    get writeCount() {
      return writeCount;
    },
    labelsOf: (issue) => [...(labels.get(issue) ?? [])],
    meets: (trouble) => void troubles.push(trouble),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Posts a webhook, signed with the secret. Resolves with what was answered to it. */
export async function postWebhook(
  url: string,
  secret: string,
  {
    delivery,
    event,
    payload,
  }: { readonly delivery: string; readonly event: string; readonly payload: object },
): Promise<number> {
  const body = JSON.stringify(payload);
  const headers = {
    "content-type": "application/json",
    "x-github-delivery": delivery,
    "x-github-event": event,
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
  return (await fetch(url, { method: "POST", headers, body })).status;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`);
  }
  return text;
}

/** GitHub's errors say where they are described. */
function refuse(response: ServerResponse, status: number, message: string): void {
  answer(response, status, {
    message,
    documentation_url: "https://docs.github.com/rest",
    status: String(status),
  });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}
