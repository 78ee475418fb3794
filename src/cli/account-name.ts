/** The account that runs this process, as the name of a person. */

import { userInfo } from "node:os";

/** Its name; of one without an entry in the password file, as in some containers, its number. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
