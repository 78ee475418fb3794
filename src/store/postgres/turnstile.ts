/** Lets a number of callers in at once, and the others in turn. */

/** A turnstile. */
export class Turnstile {
  private free: number;
  private readonly queue: (() => void)[] = [];

  constructor(places: number) {
    this.free = places;
  }

  /** Resolves when there is a place, with the function that gives it back; safe twice. */
  async enter(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.queue.push(resolve));
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const next = this.queue.shift();
      // The place passes on as it is.
      if (next === undefined) this.free += 1;
      else next();
    };
  }
}
