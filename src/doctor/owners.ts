/** Whether somebody answers to the names of owners that definitions use. Pure. */

import type { CaseOutline } from "../core/outline.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import { ownerNames } from "../define/owner-names.ts";
import { finding, type Finding } from "./finding.ts";

/** A finding for each name that nobody answers to. `book` null = the project tells nobody, and means to. */
export function examineOwners(
  caseTypes: readonly CaseOutline[],
  book: Pick<NoticeBook, "owners" | "otherwise"> | null,
  sources: readonly { readonly name: string; readonly owner: string }[] = [],
): readonly Finding[] {
  if (book === null || book.otherwise !== null) return [];
  return [...ownerNames(caseTypes, sources)]
    .filter(([name]) => !book.owners.has(name))
    .map(([name, uses]) =>
      finding(
        "OWNER_UNANSWERED",
        {},
        {
          sentence: `Nobody answers to the owner ${name} (${uses.join(", ")}): who is needed there is not told.`,
          remedy: `notices: { owners: { ${JSON.stringify(name)}: … } }, or notices: { otherwise }`,
        },
      ),
    );
}
