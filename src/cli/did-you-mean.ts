/** The nearest known word to a mistyped one. */

/** Changes of a letter that still count as a slip. */
const DISTANCE_MAX = 2;
/** Longer words than any of ours are not compared. */
const CHARS_MAX = 40;

/** A known word that `word` may have been meant as; null = none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  if (word.length > CHARS_MAX) return null;
  const [best] = known
    .map((one) => ({ one, distance: distanceBetween(word, one) }))
    .filter(({ one, distance }) => distance <= DISTANCE_MAX && distance < one.length)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.one ?? known.find((one) => word.length >= 3 && one.startsWith(word)) ?? null;
}

/** Letters to insert, delete or replace; two swapped neighbors count as one. */
function distanceBetween(from: string, to: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const replaced = (row[j - 1] ?? 0) + (isSame ? 0 : 1);
      const swapped = isSwapped ? (before[j - 2] ?? Infinity) + 1 : Infinity;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? Infinity;
}
