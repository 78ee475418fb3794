/**
 * A purchase request, as a case type. This is all that a team writes: what the steps are, where each one sends to,
 * and what must hold. When to try again, what to skip, whom to ask and how to go on after a crash follows from it.
 *
 *     approve  ──▶  createRecord  ──▶  notify
 *     finance       ERP                mail
 */

import {
  broken,
  defineCase,
  defineDestination,
  didNotHappen,
  expectOk,
  happened,
  holds,
  type RunContext,
} from "foothold";
import { z } from "zod";

/** What a request starts with. Any Standard Schema does; a start that does not fit is refused, each field named. */
export const Purchase = z.object({
  item: z.string().min(1),
  vendor: z.string().min(1),
  /** In euros. */
  amount: z.number().positive(),
  requester: z.email(),
});

/** What finance may fill in: the most that this purchase may cost, in euros. Nothing filled in: as requested. */
const Approval = z.object({ limit: z.number().positive() }).nullable();

const Revoked = z.object({ reason: z.string().min(1) });

/** What the two systems answer. Checked when it comes in; the steps after it can rely on it. */
export const RecordCreated = z.object({ recordId: z.string() });
const MessageSent = z.object({ messageId: z.string() });

/** Where the two systems are. */
export interface Systems {
  readonly erpUrl: string;
  readonly mailUrl: string;
}

/** Version 1 of the case type `purchase`. */
export function definePurchase({ erpUrl, mailUrl }: Systems) {
  const erp = defineDestination("erp", {
    // The ERP executes a key once. So when its answer got lost, the same request is sent again with the same key.
    idempotency: { by: "key", window: "24h" },
    credential: () => "erp-service-account",
    // Who is told what to do when something cannot go on by itself.
    owners: { access: "erp-admins", input: "purchasing", outage: "platform" },
    retry: { maxAttempts: 5, giveUpAfter: "4h" },
  });

  const mail = defineDestination("mail", {
    idempotency: { by: "key", window: "24h" },
    credential: () => "mail-service-account",
    owners: { outage: "platform" },
    // Short, so that you can watch it: 5 s is the default, and each wait is about four times the one before.
    retry: { maxAttempts: 5, firstDelay: "2s" },
  });

  return defineCase("purchase", {
    version: 1,
    owner: "purchasing",
    input: Purchase,
    events: { "approval.revoked": Revoked },
    attributes: {
      vendor: "text",
      amount: "number",
      recordId: { type: "text", step: "createRecord" },
    },
  })
    .approval("approve", {
      by: "finance",
      form: Approval,
      expires: "3d",
      // What the answer rests on: correcting the requester's address later does not ask finance again.
      uses: ["item", "vendor", "amount"],
    })

    .step("createRecord", {
      to: erp,
      // Asked before the step and again on every pick-up. Once it breaks, the record no longer stands: the case stops at
      // a person and names the broken prerequisite. Nothing is sent again, nothing is undone behind anybody's back.
      requires: {
        "approval still stands": ({ events }) => {
          const revoked = events.latest("approval.revoked", { after: "approve" });
          return revoked === null ? holds() : broken(`revoked: ${revoked.payload.reason}`);
        },
      },
      // Asked once, before anything is sent.
      before: {
        "amount is within the approved limit": ({ input, results }) => {
          const limit = results.approve.form?.limit ?? input.amount;
          return input.amount <= limit ? holds() : broken(`${input.amount} is more than ${limit}`);
        },
      },
      uses: ["vendor", "amount"],
      // Stored before the first attempt; every attempt sends what was stored.
      request: ({ caseId, input }) => ({ caseId, vendor: input.vendor, amount: input.amount }),
      run: (context) => post(`${erpUrl}/records`, context),
      result: RecordCreated,
      // "Did it happen?", for when that is not known and sending again is no longer safe.
      check: async ({ idempotencyKey, signal }) => {
        const response = await fetch(`${erpUrl}/records/by-key/${encodeURIComponent(idempotencyKey)}`, {
          signal,
        });
        if (response.status === 404) return didNotHappen();
        return happened(await readAnswer(response));
      },
    })

    .step("notify", {
      to: mail,
      after: ["createRecord"],
      request: ({ caseId, input, results }) => ({
        caseId,
        to: input.requester,
        subject: `Ordered: ${input.item}`,
        body: `${input.item} is ordered from ${input.vendor} (${results.createRecord.recordId}).`,
      }),
      run: (context) => post(`${mailUrl}/messages`, context),
      result: MessageSent,
    });
}

/** Sends one request with the step's key and deadline. */
async function post(
  url: string,
  { request, idempotencyKey, signal }: Pick<RunContext, "request" | "idempotencyKey" | "signal">,
): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify(request),
    signal,
  });
  return readAnswer(response);
}

/** An answer outside 2xx is thrown with its status, headers and body: from these follows what is done about it. */
async function readAnswer(response: Response): Promise<unknown> {
  await expectOk(response);
  return response.json();
}
