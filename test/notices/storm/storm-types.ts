/** What the storm runs: orders that are sent to one ERP under one credential, and the owner of that access. */

import { defineCase, defineDestination, expectOk } from "foothold";
import { readNoticeBook, type NoticeBook } from "../../../src/define/notice-book.ts";
import { registryOf, type Registry } from "../../../src/define/registry.ts";
import { input } from "../../engine/steps.ts";

/** Attempts that all workers together may have under way. */
export const IN_FLIGHT_MAX = 12;

/** The definitions, for workers that send to this address. */
export function stormRegistry(erpUrl: string): Registry {
  const erp = defineDestination("erp", {
    idempotency: { by: "key", window: "24h" },
    credential: "erp-service",
    owners: { access: "erp-admins" },
    inFlight: { start: 8, max: IN_FLIGHT_MAX },
  });
  const order = defineCase("order", { version: 1, owner: "ops", input }).step("send", {
    to: erp,
    run: async ({ idempotencyKey, signal }) => {
      const headers = { "idempotency-key": idempotencyKey };
      await expectOk(await fetch(erpUrl, { method: "POST", headers, signal }));
      return null;
    },
  });
  return registryOf([order]);
}

/** Everybody is told by one webhook. */
export function stormBook(hookUrl: string): NoticeBook {
  const url = (): string => hookUrl;
  const { book, faults } = readNoticeBook({
    channels: { pager: { kind: "pagerDuty", url, routingKey: () => "key", allowPrivate: true } },
    owners: { "erp-admins": { tell: ["pager"] }, ops: { tell: ["pager"] } },
    gather: "8s",
  });
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return book;
}
