/** Which rows of a list are selected: pure. */

/** Selected rows, and the one that was chosen last, from which a range goes. */
export interface Chosen {
  readonly ids: ReadonlySet<string>;
  readonly lastId: string | null;
}

/** None. */
export const NONE_CHOSEN: Chosen = { ids: new Set(), lastId: null };

/** Selects one, or lets it go. */
export function toggleOne(chosen: Chosen, id: string): Chosen {
  const ids = new Set(chosen.ids);
  if (!ids.delete(id)) ids.add(id);
  return { ids, lastId: id };
}

/** Selects all from the one chosen last up to this one, in the order of the list; the same as one where none was. */
export function chooseRange(chosen: Chosen, id: string, order: readonly string[]): Chosen {
  const from = chosen.lastId === null ? -1 : order.indexOf(chosen.lastId);
  const to = order.indexOf(id);
  if (from === -1 || to === -1) return toggleOne(chosen, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...chosen.ids, ...range]), lastId: id };
}

/** What is selected and still listed, in the order of the list. */
export function chosenOf(chosen: Chosen, order: readonly string[]): readonly string[] {
  return order.filter((id) => chosen.ids.has(id));
}
