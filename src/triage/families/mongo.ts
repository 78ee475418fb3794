/** MongoDB: labels of the server and the driver win over codes. */

import { isJsonArray, type Json } from "../../core/json.ts";
import { codes, denied, maybe, no, type Meaning } from "../meaning.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Family, Words } from "./family.ts";

const away = { scope: "destination" } as const;

/** MongoDB. */
export const mongo: Family = {
  name: "mongo",
  fromError,
  codes: codes(
    [no("throttled", { scope: "destination" }), "SystemOverloadedError"],
    // The driver could not reach a server, or the server wrote nothing.
    [no("transient", away), "MongoServerSelectionError NoWritesPerformed"],
    // The whole transaction, or its commit alone, is to be run again.
    [no("transient"), "TransientTransactionError 112"],
    [maybe("transient"), "UnknownTransactionCommitResult 50"],
    [no("conflict"), "11000"],
    [no("rejected"), "121"],
    [denied("scope"), "13"],
    [denied("revoked"), "18"],
    [no("bug"), "2 9 14 59"],
  ),
};

/** What a batch did before it failed. */
const COUNTS = ["insertedCount", "modifiedCount", "deletedCount", "upsertedCount"];

const unsure: Meaning = maybe("transient", away);

function fromError({ chain: [first] }: Snapshot): Words | null {
  if (first === undefined || !first.name.startsWith("Mongo")) return null;
  const { errorLabels, errorResponse } = first.facts;
  // Of a batch, what stood before the fault was written.
  const isPartial = COUNTS.some((name) => Number(first.facts[name] ?? 0) > 0);
  const labels = errorLabels !== undefined && isJsonArray(errorLabels) ? errorLabels.filter(isText) : [];
  const found = [...labels, first.name, ...(first.code === null ? [] : [first.code])];
  return {
    codes: found,
    otherwise: unsure,
    ...(isPartial ? { executed: "partial" } : {}),
    answer: null,
    hints: { headers: {}, body: { errorResponse: errorResponse ?? null } },
  };
}

function isText(value: Json): value is string {
  return typeof value === "string";
}
