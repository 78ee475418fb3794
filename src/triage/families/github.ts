/** GitHub, through Octokit and without it. */

import type { SeenResponse } from "../../core/seen-failure.ts";
import { codes, no, type Meaning } from "../meaning.ts";
import { objectsInside, textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** GitHub asks for a minute, then ever longer; who goes on may be banned. */
const secondaryLimit: Meaning = no("throttled", {
  instruction: { kind: "pace", firstMs: 60_000, maxMs: 15 * 60_000, source: "secondary rate limit" },
});

/** GitHub. */
export const github: Family = {
  name: "github",
  fromError: ({ chain: [first], found }) => {
    if (first?.name !== "HttpError" || typeof first.facts["status"] !== "number") return null;
    // Octokit gives a network failure the status 500, and no response.
    return { codes: [], answer: found?.isWhole === true ? found.answer : null };
  },
  fromAnswer: (answer) => {
    if (textInside(answer.body, "documentation_url")?.startsWith("https://docs.github.com/") !== true) {
      return null;
    }
    const faults = objectsInside(answer.body, "errors").map((one) => textInside(one, "code"));
    return { codes: faults.filter((code) => code !== null), otherwise: otherwise(answer) };
  },
  codes: codes([no("conflict"), "already_exists"], [no("gone"), "missing"]),
};

function otherwise({ status, body }: SeenResponse): Meaning | null {
  // What may not be seen is "not found" too.
  if (status === 404) return no("gone", { owner: "access" });
  // The only place where it says so: there may be no header at all.
  const isSecondary =
    /secondary[- ]rate[- ]limit/.test(textInside(body, "documentation_url") ?? "") ||
    textInside(body, "message")?.startsWith("You have exceeded a secondary rate limit") === true;
  return (status === 403 || status === 429) && isSecondary ? secondaryLimit : null;
}
