/** What is known of credentials: changed under the lock of one row. */

import { invariant } from "../../core/errors.ts";
import type { CredentialState } from "../../core/refresh.ts";
import type { CredentialChange } from "../destination-port.ts";
import type { Database } from "./database.ts";

/** Changes what is known of a credential as the port says. */
export async function changeCredential<Reply>(
  database: Database,
  credentialId: string,
  decide: CredentialChange<Reply>,
): Promise<Reply> {
  return database.transact("begin_change", async (session) => {
    const [row] = await session.run<{ readonly state: CredentialState | null; readonly now: number }>(
      "lock_credential",
      [credentialId],
    );
    invariant(row !== undefined, "lock_credential returned no row");
    const { state, reply } = decide(row.state, row.now);
    if (state !== null) await session.run("write_credential", [credentialId, JSON.stringify(state)]);
    return reply;
  });
}
