/**
 * A new colleague, as a case type: the manager says yes and fills in a form, two teams' systems are served side by side, and
 * a mail goes out over plain SMTP.
 *
 *                  ┌──▶  account  ──┐
 *     approve  ────┤    directory   ├──▶  welcome
 *     manager      └──▶  laptop   ──┘     mail
 *                       supplier
 */

import { defineCase, defineDestination } from "foothold";
import { fetchOk, findByReference, keyedFetch, readAnswer } from "foothold/destinations";
import { createTransport } from "nodemailer";
import { z } from "zod";

/** What an onboarding starts with. */
const Colleague = z.object({
  name: z.string().min(1),
  /** The account that the colleague will have: a name that nobody else has. */
  login: z.string().regex(/^[a-z][a-z0-9.-]{1,30}$/),
  /** Where the mail goes to; nobody reads mail at work before the first day. */
  privateMail: z.email(),
  address: z.string().min(1),
  startsOn: z.iso.date(),
});

/** What the manager fills in. */
const Approval = z.object({ team: z.string().min(1), laptop: z.enum(["13 inch", "15 inch"]) });

const Account = z.object({ id: z.string(), login: z.string(), createdFor: z.string() });
const Order = z.object({ orderId: z.string() });

/** Where the systems are. */
export interface Systems {
  readonly directoryUrl: string;
  readonly supplierUrl: string;
  /** As in `smtps://user:password@mail.example`. */
  readonly smtpUrl: string;
}

/** Time that the mail server gets to say anything, in ms. */
const SILENT_MS_MAX = 15_000;

/** Version 1 of the case type `onboarding`. */
export function defineOnboarding({ directoryUrl, supplierUrl, smtpUrl }: Systems) {
  const directory = defineDestination("directory", {
    // It has one account of a name, and says so to whoever asks for another.
    idempotency: { by: "unique" },
    credential: () => "directory-service-account",
    owners: { access: "identity", input: "hr", outage: "identity" },
    transport: "http",
    clientTries: 1,
  });

  const supplier = defineDestination("supplier", {
    idempotency: { by: "key", window: "7d" },
    credential: () => "supplier-contract",
    owners: { access: "purchasing", input: "hr", outage: "purchasing" },
    transport: "http",
    clientTries: 1,
  });

  const mail = defineDestination("mail", {
    // A mail server takes each mail that it is given, and cannot be asked which ones those were.
    idempotency: { by: "none" },
    owners: { access: "platform", input: "hr", outage: "platform" },
    clientTries: 1,
  });

  const accountUrl = (login: string): string => `${directoryUrl}/accounts/${encodeURIComponent(login)}`;

  return defineCase("onboarding", { version: 1, owner: "hr", input: Colleague })
    .approval("approve", {
      by: "manager",
      form: Approval,
      expires: "5d",
      // Another login or mail address is nothing that a manager would be asked about again.
      uses: ["name", "startsOn"],
    })

    .step("account", {
      to: directory,
      after: ["approve"],
      uses: ["login", "name"],
      request: ({ caseId, input, results }) => ({
        login: input.login,
        name: input.name,
        team: results.approve.form.team,
        createdFor: caseId,
      }),
      run: async (context) => {
        const { login, ...account } = context.request;
        const answer = await fetchOk(context, accountUrl(login), { method: "PUT", json: account });
        return { id: Account.parse(await readAnswer(answer)).id };
      },
      // "Exists already" is our own account after a lost answer, or that of a namesake: the directory keeps whose it is.
      check: findByReference({
        find: async (context) =>
          Account.parse(await readAnswer(await fetchOk(context, accountUrl(context.request.login)))),
        same: ({ createdFor }, { request }) => ({ createdFor: [createdFor, request.createdFor] }),
        result: ({ id }) => ({ id }),
      }),
    })

    .step("laptop", {
      to: supplier,
      after: ["approve"],
      uses: ["name", "address", "startsOn"],
      request: ({ input, results }) => ({
        model: results.approve.form.laptop,
        to: `${input.name}, ${input.address}`,
        by: input.startsOn,
      }),
      run: async (context) => {
        const answer = await keyedFetch(context, `${supplierUrl}/orders`, { json: context.request });
        return Order.parse(await readAnswer(answer));
      },
    })

    .step("welcome", {
      to: mail,
      after: ["account", "laptop"],
      request: ({ input, results }) => ({
        from: "hr@acme.example",
        to: input.privateMail,
        subject: `Welcome, ${input.name}`,
        text:
          `You begin on ${input.startsOn} with ${results.approve.form.team}. Your login is ${input.login}; ` +
          `your laptop is on its way (${results.laptop.orderId}).`,
      }),
      run: async ({ request, idempotencyKey, signal }) => {
        signal.throwIfAborted();
        const transport = createTransport({
          url: smtpUrl,
          connectionTimeout: SILENT_MS_MAX,
          greetingTimeout: SILENT_MS_MAX,
          socketTimeout: SILENT_MS_MAX,
        });
        try {
          // Whoever looks for it in the mail server's log finds it by this.
          const messageId = `<${idempotencyKey}@acme.example>`;
          const { response } = await transport.sendMail({ ...request, messageId });
          return { messageId, response };
        } finally {
          transport.close();
        }
      },
    });
}
