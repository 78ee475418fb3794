/** PostgreSQL, by the SQLSTATE that its server gives: what ended a statement rolled it back, what ended a connection may not have. */

import { codes, denied, maybe, no, type Codes } from "../meaning.ts";
import type { Family } from "./family.ts";

const away = { scope: "destination" } as const;
const resources = { owner: "operator", scope: "destination" } as const;

/** SQLSTATEs by their five characters, and by the two of their class where those say it all. */
const SQLSTATES: Codes = codes(
  // Refused before a statement.
  [no("transient", away), "08001 08004 57P03 53300"],
  // The connection went while a statement may have run; the last two say so in as many words.
  [maybe("transient", away), "08000 08003 08006 08 57P01 57P02 57P05 08007 40003"],
  // Rolled back: the whole transaction is run again.
  [no("transient"), "40001 40P01 40 55P03 55006 57014 25006"],
  [no("transient", resources), "53"],
  [maybe("transient", resources), "58 XX"],
  [no("rejected"), "22 23 P0001 44"],
  [no("conflict"), "23505 23P01"],
  [denied("revoked"), "28P01 28"],
  [denied("scope"), "42501"],
  [no("bug"), "42 0A 26 34 3F 2F P0"],
  [no("bug", { owner: "operator" }), "3D000 3D"],
);

/** Anything that answers with SQLSTATEs and a severity. */
export const postgres: Family = {
  name: "postgres",
  fromError: ({ chain }) => {
    const said = chain.find(
      ({ code, facts }) => /^[0-9A-Z]{5}$/.test(code ?? "") && facts["severity"] !== undefined,
    );
    const code = said?.code ?? null;
    return code === null ? null : { codes: [code, code.slice(0, 2)], answer: null };
  },
  codes: SQLSTATES,
};
