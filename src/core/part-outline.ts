/** The step of one key of an `each`, made of what the definition says of all of them. */

import type { EachStepOutline, FactOutline, SendStepOutline } from "./outline.ts";
import { partName } from "./part-name.ts";

/** A prerequisite of every key: it is still one of the items. */
export const STILL_AN_ITEM: FactOutline = { kind: "fact", name: "is still one of the items" };

/** The step of one key. */
export function partOutline({ item, ...each }: EachStepOutline, key: string): SendStepOutline {
  const name = partName(each.name, key);
  return {
    ...item,
    name,
    formerly: [],
    after: each.after,
    closure: each.closure,
    uses: each.uses,
    requires: [STILL_AN_ITEM],
    undo: item.undo === null ? null : { ...item.undo, name: item.undo.name.replace(item.name, () => name) },
    part: {
      of: each.name,
      key,
      atOnce: each.atOnce,
      ...(each.inOrder === undefined ? {} : { inOrder: each.inOrder }),
    },
  };
}
