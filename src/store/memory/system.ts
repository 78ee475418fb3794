/** The real clock of a memory store that is given no other. */

/** Epoch milliseconds. */
export function systemNow(): number {
  return Date.now();
}
