/** What the API tells of a reveal. */

import { z } from "zod";
import type { Revealed, RevealedValue } from "../../../desk/revealing.ts";
import { count, json, list, named, oneOf, text, textOrNone, typed } from "./schema.ts";

const revealedValue = typed<RevealedValue>()(
  z.strictObject({
    part: oneOf<RevealedValue["part"]>({
      input: true,
      originalInput: true,
      result: true,
      evidence: true,
      request: true,
      event: true,
    }),
    name: textOrNone,
    path: text,
    value: json,
  }),
);

/** What was behind the marks of a case. */
export const revealed: z.ZodType<Revealed> = named<Revealed>("Revealed")(
  z.strictObject({ caseId: text, revision: count, values: list(revealedValue), isCut: z.boolean() }),
);
