/** Twilio: five digits in the body, and in what its client throws. */

import { codes, denied, no } from "../meaning.ts";
import { inside, textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** Twilio. */
export const twilio: Family = {
  name: "twilio",
  fromError: ({ chain: [first] }) => {
    const isTwilio =
      typeof first?.facts["moreInfo"] === "string" && typeof first.facts["status"] === "number";
    return isTwilio && first.code !== null ? { codes: [first.code] } : null;
  },
  fromAnswer: ({ body }) => {
    const code = inside(body, "code");
    const isTwilio = textInside(body, "more_info")?.includes("twilio.com/") === true;
    return isTwilio && typeof code === "number" ? { codes: [String(code)] } : null;
  },
  codes: codes(
    [no("throttled"), "20429"],
    [denied("revoked"), "20003"],
    [no("gone"), "20404"],
    [no("rejected"), "21211 21212 21214 21408 21602 21604 21614 21617"],
    // The recipient does not want to hear from us.
    [no("rejected", { instruction: { kind: "doNotRetry", source: "opt-out" } }), "21610"],
  ),
};
