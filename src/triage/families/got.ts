/** got: what it knows of a request that got no answer. */

import { no } from "../meaning.ts";
import { textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** Phases of a request before anything of it is sent. */
const UNSENT_PHASES = ["lookup", "connect", "secureConnect", "socket"];

/** got names the phase in which a timeout struck. */
export const got: Family = {
  name: "got",
  fromError: ({ chain: [first], found }) => {
    const phase = textInside(first?.facts, "event");
    if (first?.name !== "TimeoutError" || phase === null || found !== null) return null;
    if (!UNSENT_PHASES.includes(phase)) return null;
    return {
      codes: [`timeout.${phase}`],
      otherwise: no("transient", { scope: "destination" }),
      answer: null,
    };
  },
};
