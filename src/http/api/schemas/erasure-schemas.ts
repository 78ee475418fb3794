/** What the API tells of erasures. */

import { z } from "zod";
import type { ErasurePreview, ErasurePreviewCase, ErasureReply } from "../../../desk/erase.ts";
import { count, list, named, text, textOrNone, typed } from "./schema.ts";

const previewCase = typed<ErasurePreviewCase>()(
  z.strictObject({
    caseId: text,
    caseType: text,
    traces: typed<ErasurePreviewCase["traces"]>()(
      z.strictObject({
        entries: count,
        auditLines: count,
        events: count,
        bodies: count,
        searchValues: count,
        seconds: count,
        bulkActs: count,
      }),
    ),
    isErased: z.boolean(),
    refusal: textOrNone,
  }),
);

/** What an erasure would be of. */
export const erasurePreview: z.ZodType<ErasurePreview> = named<ErasurePreview>("ErasurePreview")(
  z.strictObject({ caseId: text, cases: list(previewCase) }),
);

/** What was erased. */
export const erasureReply: z.ZodType<ErasureReply> = named<ErasureReply>("Erasure")(
  z.strictObject({ caseId: text, erased: list(text), known: list(text) }),
);
