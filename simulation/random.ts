/** A small seeded generator (splitmix32): the same seed gives the same run on every platform. */

/** Draws of one seed. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let z = this.#state ^ (this.#state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 4_294_967_296;
  }

  /** True with probability `share`. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** One of `choices`, which must not be empty. */
  pick<Choice>(choices: readonly Choice[]): Choice {
    const chosen = choices[this.between(0, choices.length - 1)];
    if (chosen === undefined) throw new Error("nothing to pick from");
    return chosen;
  }

  /** A generator of its own, so that draws of one part do not shift those of another. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.next() * 4_294_967_296));
  }
}
