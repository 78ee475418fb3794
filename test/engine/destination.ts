import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a destination does with one request, in the order in which they are scripted for a path. */
type Act =
  /** Executes it and answers, as it does without a script. */
  | "behave"
  /** Executes it, then cuts the connection instead of answering. */
  | "loseAnswer"
  /** Waits for `release`, then executes and answers. */
  | "hold"
  /** Executes it and never answers. */
  | "staySilent"
  /** Executes nothing and answers this. */
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown };

/** A request as it came. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly token: number | null;
  readonly body: string;
}

/** What was done. */
interface Effect {
  readonly id: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
}

/** An outside system on loopback: it keeps a ledger of what was asked and of what was done. */
export interface TestDestination {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  readonly effects: readonly Effect[];
  /** What the next requests to `path` meet; after that it behaves. */
  script(path: string, ...acts: readonly Act[]): void;
  /** Lets everything go on that is held, and whatever would be held from now on. */
  release(): void;
  stop(): Promise<void>;
}

/**
 * Starts one. `POST /anything` is an effect, once per `Idempotency-Key` if it deduplicates; it answers 201 `{"id": "E-1"}`.
 * `GET /effects/KEY` answers 200 with the effect, or 404.
 */
export async function startDestination(options: {
  readonly deduplicates: boolean;
}): Promise<TestDestination> {
  const ledger = new Ledger(options.deduplicates);
  const server = createServer((request, response) => void ledger.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: ledger.requests,
    effects: ledger.effects,
    script: (path, ...acts) => {
      ledger.scripts.set(path, [...(ledger.scripts.get(path) ?? []), ...acts]);
    },
    release: () => ledger.release(),
    stop: async () => {
      ledger.release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class Ledger {
  readonly requests: SeenRequest[] = [];
  readonly effects: Effect[] = [];
  readonly scripts = new Map<string, readonly Act[]>();
  private readonly deduplicates: boolean;
  private isReleased = false;
  private held: (() => void)[] = [];

  constructor(deduplicates: boolean) {
    this.deduplicates = deduplicates;
  }

  release(): void {
    this.isReleased = true;
    for (const go of this.held) go();
    this.held = [];
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await read(request);
    this.requests.push(seen);
    const act = this.nextAct(seen.path);
    if (act !== null && typeof act === "object") {
      answer(response, act.status, act.body ?? null, act.headers);
      return;
    }
    if (act === "hold" && !this.isReleased) await new Promise<void>((go) => this.held.push(go));
    if (seen.method === "GET") {
      const found = this.effects.find(({ key }) => seen.path === `/effects/${key}`);
      answer(response, found === undefined ? 404 : 200, found ?? null);
      return;
    }
    const effect = this.execute(seen);
    if (act === "loseAnswer") request.socket.resetAndDestroy();
    else if (act !== "staySilent") answer(response, 201, { id: effect.id });
  }

  private nextAct(path: string): Act | null {
    const [next, ...later] = this.scripts.get(path) ?? [];
    this.scripts.set(path, later);
    return next ?? null;
  }

  private execute({ path, key, body }: SeenRequest): Effect {
    const known = this.effects.find((one) => one.key === key && one.path === path);
    if (this.deduplicates && key !== null && known !== undefined) return known;
    const effect: Effect = { id: `E-${this.effects.length + 1}`, path, key, body };
    this.effects.push(effect);
    return effect;
  }
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { "idempotency-key": key, "fencing-token": token } = request.headers;
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    key: typeof key === "string" ? key : null,
    token: typeof token === "string" ? Number(token) : null,
    body: Buffer.concat(chunks).toString(),
  };
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
