/** The tools of `foothold/destinations`, and whoever refuses in their words: an error with such a `code` did nothing. */

import { codes, no } from "../meaning.ts";
import type { Family } from "./family.ts";

const NEWER_TOKEN = "NEWER_TOKEN";
const DIFFERENT_REQUEST = "DIFFERENT_REQUEST";

/** Destinations that compare fencing tokens or keep fingerprints. */
export const foothold: Family = {
  name: "foothold",
  fromError: ({ chain }) => {
    for (const { code, facts } of chain) {
      if (code === DIFFERENT_REQUEST) return { codes: [code], answer: null };
      const seen = facts["seen"];
      if (code !== NEWER_TOKEN || typeof seen !== "number" || !Number.isSafeInteger(seen)) continue;
      const instruction = { kind: "newerToken", seen, source: `foothold.${code}` } as const;
      return { codes: [code], otherwise: no("transient", { instruction }), answer: null };
    }
    return null;
  },
  // What exists was made by an earlier request of ours: it is asked what it is.
  codes: codes([no("conflict"), DIFFERENT_REQUEST]),
};
