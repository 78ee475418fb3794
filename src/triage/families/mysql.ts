/** MySQL and its kin, by error number. */

import { codes, denied, maybe, no } from "../meaning.ts";
import type { Family } from "./family.ts";

const away = { scope: "destination" } as const;

/** MySQL. */
export const mysql: Family = {
  name: "mysql",
  fromError: ({ chain: [first] }) => {
    if (first?.code === "PROTOCOL_CONNECTION_LOST") return { codes: ["2013"], answer: null };
    const errno = first?.facts["errno"];
    const isMysql = typeof errno === "number" && errno > 0 && first?.facts["sqlState"] !== undefined;
    return isMysql ? { codes: [String(errno)], answer: null } : null;
  },
  codes: codes(
    [no("transient"), "1213 1205 1290 4031"],
    [no("throttled", { scope: "destination" }), "1040 1203 1226"],
    // Stopped or gone while a statement may have run.
    [maybe("transient", away), "1053 1317 2006 2013"],
    [no("conflict"), "1062 1586"],
    [denied("revoked"), "1045"],
    [denied("scope"), "1044 1142 1143 1227"],
    [no("rejected"), "1048 1264 1366 1406 1451 1452 3819"],
    [no("bug"), "1054 1064 1146 1149"],
    [no("bug", { owner: "operator" }), "1049"],
  ),
};
