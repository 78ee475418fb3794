/** A CRM on this machine: it knows idempotency keys, refuses what is no mail address, and keeps what it took. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const Contact = z.object({ number: z.string(), name: z.string(), email: z.string() });

/** A contact that was taken. */
type TakenContact = z.infer<typeof Contact> & { readonly contactId: string; readonly key: string };

const Report = z.object({ file: z.string(), rows: z.number(), taken: z.number() });

/** A running CRM. */
export interface Crm {
  readonly url: string;
  readonly contacts: readonly TakenContact[];
  /** What imports told of themselves, by key. */
  readonly reports: ReadonlyMap<string, z.infer<typeof Report>>;
  /** Requests that came, whatever became of them. */
  readonly requestCount: number;
  readonly stop: () => Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024;

/** Starts one on 127.0.0.1. */
export async function startCrm(): Promise<Crm> {
  const byKey = new Map<string, TakenContact>();
  const contacts: TakenContact[] = [];
  const reports = new Map<string, z.infer<typeof Report>>();
  let requestCount = 0;
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    requestCount += 1;
    take(request).then(
      (made) => answer(response, 201, made),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        answer(response, 422, { errors: [{ field: "email", message }] });
      },
    );
  });

  async function take(request: IncomingMessage): Promise<object> {
    let text = "";
    for await (const chunk of request) {
      text += String(chunk);
      if (text.length > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`);
    }
    const key = String(request.headers["idempotency-key"]);
    const sent: unknown = JSON.parse(text);
    if (request.url === "/imports") {
      const report = reports.get(key) ?? Report.parse(sent);
      reports.set(key, report);
      return report;
    }
    const wanted = Contact.parse(sent);
    if (!/^[^@\s]+@[^@\s]+$/.test(wanted.email)) throw new Error(`${wanted.email} is no mail address`);
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const contact = { contactId: `C-${contacts.length + 1}`, key, ...wanted };
    byKey.set(key, contact);
    contacts.push(contact);
    return contact;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    contacts,
    reports,
    get requestCount() {
      return requestCount;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
