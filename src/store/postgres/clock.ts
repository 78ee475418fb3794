/** The database's clock. */

import { invariant } from "../../core/errors.ts";
import type { Database } from "./database.ts";

/** Now, epoch ms. */
export async function readClock(database: Database): Promise<number> {
  const [row] = await database.run<{ readonly now: number }>("read_clock", []);
  invariant(row !== undefined, "read_clock returned no row");
  return row.now;
}
