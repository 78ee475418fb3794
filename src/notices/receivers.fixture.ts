/** A real mail server and a real web server that keep what they were sent. */

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { listenOn } from "./listening.fixture.ts";

/** A mail as it arrived: the whole of it, with long lines put together again. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** A mail server. */
export interface MailServer {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Refuses the next mails with these replies, such as `451 try later`; none = takes them. */
  readonly refusals: string[];
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const refusals: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const refusal = refusals.shift();
        if (refusal !== undefined) {
          const [code = "550", ...words] = refusal.split(" ");
          done(Object.assign(new Error(words.join(" ")), { responseCode: Number(code) }));
          return;
        }
        const raw = Buffer.concat(parts).toString("utf8");
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: raw
            .replaceAll("=\r\n", "")
            .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this shape.
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refusals,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** A request as it arrived. */
interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How a web server answers. */
interface HookAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A web server for webhooks. */
export interface HookServer {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** Answers of the next requests; 202 when there is none. `silent` = gives none. */
  readonly answers: (HookAnswer | "silent")[];
  close(): Promise<void>;
}

export async function startHookServer(): Promise<HookServer> {
  const requests: ReceivedRequest[] = [];
  const answers: (HookAnswer | "silent")[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("utf8");
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      const answer = answers.shift() ?? { status: 202 };
      if (answer !== "silent") response.writeHead(answer.status, answer.headers).end();
    });
  });
  const { port, close } = await listenOn(server);
  return { url: `http://127.0.0.1:${port}`, requests, answers, close };
}
