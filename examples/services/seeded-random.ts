/** A stream of numbers that depends on its seed text alone: same text, same numbers, on every platform. */
export interface SeededRandom {
  /** A whole number from 0 up to, not including, `bound` (a whole number of at least 1). */
  readonly under: (bound: number) => number;
  /** One of the items. Throws a RangeError when there is none. */
  readonly pick: <T>(items: readonly T[]) => T;
}

/**
 * A stable 32-bit hash of a text (FNV-1a over its UTF-16 units, then mixed so that near texts land far
 * apart). Whole-number arithmetic only, so the result never differs between machines. Not for secrets.
 */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return mixBits(hash);
}

/** Starts a stream of random numbers from a seed text. Not for secrets. */
export function seededRandom(seedText: string): SeededRandom {
  let state = hashText(seedText);
  const under = (bound: number): number => {
    if (!Number.isInteger(bound) || bound < 1) throw new RangeError(`bound must be 1 or more, not ${bound}`);
    state = (state + 0x9e3779b9) >>> 0;
    return Math.floor((mixBits(state) / 2 ** 32) * bound);
  };
  const pick = <T>(items: readonly T[]): T => {
    // Read by iteration: an index read would be typed as possibly undefined even where it is not.
    let left = under(items.length);
    for (const item of items) {
      if (left === 0) return item;
      left -= 1;
    }
    throw new RangeError("there is no item to pick");
  };
  return { under, pick };
}

/** Spreads every input bit over the whole word (the 32-bit finalizer of MurmurHash3). */
function mixBits(bits: number): number {
  let mixed = bits;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
