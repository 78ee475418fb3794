/**
 * The company's systems as servers on this machine: a directory of accounts and a supplier of laptops over HTTP, and a real
 * mail server. They keep what they took, so that a test sees what really went out.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { z } from "zod";

/** An account in the directory. */
const NewAccount = z.object({ name: z.string(), team: z.string(), createdFor: z.string() });
type Account = z.infer<typeof NewAccount> & { readonly id: string; readonly login: string };

/** An order at the supplier. */
const NewOrder = z.object({ model: z.string(), to: z.string(), by: z.string() });
type Order = z.infer<typeof NewOrder> & { readonly orderId: string; readonly key: string };

/** A mail that was taken. */
interface ReceivedMail {
  readonly to: readonly string[];
  readonly text: string;
}

/** How the mail server meets one mail: it takes it and falls silent, or refuses it with a reply such as `451 4.7.1 later`. */
type MailTrouble = { readonly kind: "loseAnswer" } | { readonly kind: "reply"; readonly says: string };

/** All three, running. */
export interface Company {
  readonly directoryUrl: string;
  readonly supplierUrl: string;
  readonly smtpUrl: string;
  readonly accounts: readonly Account[];
  readonly orders: readonly Order[];
  readonly mails: readonly ReceivedMail[];
  /** Somebody else has this login. */
  readonly employ: (login: string, name: string) => void;
  /** The next mail meets this. */
  readonly mailMeets: (trouble: MailTrouble) => void;
  readonly stop: () => Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024;

/** Starts them on 127.0.0.1. */
export async function startCompany(): Promise<Company> {
  const accounts = new Map<string, Account>();
  const orders = new Map<string, Order>();
  const office = createServer((request, response) => {
    serveOffice(accounts, orders, request, response).catch((error: unknown) =>
      answer(response, 422, { message: error instanceof Error ? error.message : String(error) }),
    );
  });
  await new Promise<void>((resolve) => office.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this shape.
  const url = `http://127.0.0.1:${(office.address() as AddressInfo).port}`;
  const post = await startPost();
  return {
    directoryUrl: url,
    supplierUrl: url,
    smtpUrl: post.url,
    get accounts() {
      return [...accounts.values()];
    },
    get orders() {
      return [...orders.values()];
    },
    mails: post.mails,
    employ: (login, name) =>
      void accounts.set(login, { id: `A-${login}`, login, name, team: "another", createdFor: "somebody" }),
    mailMeets: (trouble) => void post.troubles.push(trouble),
    stop: async () => {
      office.closeAllConnections();
      await Promise.all([new Promise((resolve) => office.close(resolve)), post.stop()]);
    },
  };
}

async function serveOffice(
  accounts: Map<string, Account>,
  orders: Map<string, Order>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? "/";
  const login = decodeURIComponent(/^\/accounts\/([^/]+)$/.exec(path)?.[1] ?? "");
  const known = accounts.get(login);
  if (login !== "" && request.method === "PUT") {
    if (known !== undefined) {
      answer(response, 409, { message: `${login} exists already` });
      return;
    }
    const account = { id: `A-${accounts.size + 1}`, login, ...NewAccount.parse(await bodyOf(request)) };
    accounts.set(login, account);
    answer(response, 201, account);
  } else if (login !== "") {
    if (known === undefined) answer(response, 404, { message: `there is no ${login}` });
    else answer(response, 200, known);
  } else if (path === "/orders" && request.method === "POST") {
    const key = String(request.headers["idempotency-key"]);
    const wanted = NewOrder.parse(await bodyOf(request));
    const order = orders.get(key) ?? { orderId: `O-${orders.size + 1}`, key, ...wanted };
    orders.set(key, order);
    answer(response, 201, order);
  } else answer(response, 404, { message: "there is nothing here" });
}

interface Post {
  readonly url: string;
  readonly mails: ReceivedMail[];
  readonly troubles: MailTrouble[];
  readonly stop: () => Promise<void>;
}

async function startPost(): Promise<Post> {
  const mails: ReceivedMail[] = [];
  const troubles: MailTrouble[] = [];
  const sockets = new Set<{ destroy(): unknown }>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData: (stream, session, done) => void take(stream, session, done),
  });
  async function take(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
  ): Promise<void> {
    let text = "";
    for await (const part of stream) text += String(part);
    const trouble = troubles.shift();
    if (trouble?.kind === "reply") {
      const [code = "550", ...words] = trouble.says.split(" ");
      done(Object.assign(new Error(words.join(" ")), { responseCode: Number(code) }));
      return;
    }
    const unfolded = text.replaceAll("=\r\n", "");
    mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text: unfolded });
    if (trouble === undefined) done();
    else for (const socket of sockets) socket.destroy();
  }
  server.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    troubles,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`);
  }
  return JSON.parse(text);
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
