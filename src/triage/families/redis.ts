/** Redis, by the word that its protocol puts first. */

import { codes, denied, maybe, no } from "../meaning.ts";
import type { Family } from "./family.ts";

const away = { scope: "destination" } as const;
const resources = { owner: "operator", scope: "destination" } as const;

/** Redis. */
export const redis: Family = {
  name: "redis",
  fromError: ({ chain: [first] }) => {
    if (first?.name === "MaxRetriesPerRequestError") return { codes: ["CONNECTION"], answer: null };
    const word = first?.name === "ReplyError" ? /^[A-Z]+/.exec(first.message)?.[0] : undefined;
    return word === undefined ? null : { codes: [word], answer: null };
  },
  codes: codes(
    [no("transient"), "LOADING TRYAGAIN BUSY"],
    // Another node answers for it now, or will.
    [no("transient", away), "MASTERDOWN CLUSTERDOWN READONLY MOVED ASK"],
    [denied("revoked"), "NOAUTH WRONGPASS"],
    [denied("scope"), "NOPERM"],
    [no("throttled", resources), "OOM"],
    [no("bug"), "ERR WRONGTYPE NOSCRIPT EXECABORT CROSSSLOT"],
    [maybe("transient", away), "CONNECTION"],
  ),
};
