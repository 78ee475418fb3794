/** What the API tells of a case as a document. */

import { z } from "zod";
import { EXPORT_FORMAT } from "../../../core/exported-case.ts";
import type { CaseExport } from "../types.ts";
import { entryKind } from "./case-schemas.ts";
import { count, list, named, text, time } from "./schema.ts";

/** A case with its whole journal. */
export const caseExport: z.ZodType<CaseExport> = named<CaseExport>("CaseExport")(
  z.strictObject({
    format: z.literal(EXPORT_FORMAT),
    caseId: text,
    exportedAt: time,
    isMasked: z.boolean().exactOptional(),
    // An entry is told as it stands in the journal: what it holds beside this is its kind's own.
    entries: list(z.looseObject({ revision: count, at: time, entry: z.looseObject({ kind: entryKind }) })),
  }),
);
