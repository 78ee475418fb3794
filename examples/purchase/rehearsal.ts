/**
 * The rehearsal of this example: every crash, lost answer and late worker, against its two systems over HTTP.
 *
 *     npx foothold rehearse build/examples/purchase/rehearsal.js
 */

import { defineRehearsal, type ListedEffect, type Rehearsal } from "foothold/testing";
import { startErp } from "../services/erp.ts";
import { readLedgerAt } from "../services/ledger-reader.ts";
import { startMail } from "../services/mail.ts";
import { definePurchase } from "./purchase.ts";

const erp = await startErp();
// Each message is answered with 503 once, so that a second attempt is rehearsed too.
const mail = await startMail({ switches: { failFirstPerKey: 1 } });

const input = { item: "Standing desk", vendor: "ACME", amount: 480, requester: "kim@example.com" };

const rehearsal: Rehearsal = defineRehearsal(definePurchase({ erpUrl: erp.url, mailUrl: mail.url }), {
  input,
  // What a person makes of it once the ERP rejected it: finance is asked again, and the record is created once.
  corrected: { createRecord: { ...input, amount: 470 } },
  approvals: { approve: { limit: 500 } },
  effects: async (caseId) => [
    ...(await effectsAt(erp.url, "createRecord", caseId)),
    ...(await effectsAt(mail.url, "notify", caseId)),
  ],
  finish: async () => {
    await Promise.all([erp.stop(), mail.stop()]);
  },
});

// oxlint-disable-next-line import/no-default-export -- the command takes what the file exports by default
export default rehearsal;

/** What a system's ledger has of a case. */
async function effectsAt(url: string, step: string, caseId: string): Promise<readonly ListedEffect[]> {
  const { effects } = await readLedgerAt(url);
  return effects.filter((one) => one.step.caseId === caseId).map(({ id }) => ({ step, id }));
}
