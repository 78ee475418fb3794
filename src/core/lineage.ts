/**
 * The lineage of a journal: a digest of the ids of its commits, in order. A failover can lose the last commits, and then
 * others take their revisions, so that a revision does not tell which journal it is of. Nor does the id of its last
 * commit: a fact that is sent again keeps its id, and may come to stand behind other entries.
 */

/** The lineage of a journal without entries. */
export const FIRST_LINEAGE = "0000000000000000";

/** The lineage of a journal that goes on with these entries. */
export function extendLineage(lineage: string, entries: readonly { readonly commitId: string }[]): string {
  return entries.reduce((before, { commitId }) => digest(`${before} ${commitId}`), lineage);
}

/**
 * 64 bits, as two sums with different odd factors. Commit ids are random and nobody gains from making two lineages
 * equal, so this has to scatter well and need not be a secure hash.
 */
function digest(text: string): string {
  let [one, other] = [0x2545f491, 0x6c62272e];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = scatter(Math.imul(one ^ code, 0x9e3779b1));
    other = scatter(Math.imul(other ^ code, 0x85ebca77));
  }
  return hex(one) + hex(other);
}

/** Brings the high bits, which depend on everything, down to the low ones. */
function scatter(sum: number): number {
  return sum ^ (sum >>> 15);
}

function hex(sum: number): string {
  return (sum >>> 0).toString(16).padStart(8, "0");
}
