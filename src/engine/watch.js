/**
 * Watching signs of life: for how long this process has itself seen a sign unchanged. Only time between two looks that
 * follow each other counts. Across a hole (this process was stopped, a look failed, the database was away) nobody knows
 * what happened, and whoever is watched had no chance to show a sign either.
 */
/** Watches many things by one monotonic clock. */
export class Watch {
    #watched = new Map();
    #lookedAt = null;
    /** Takes what a look saw at `now` (monotonic ms). What it did not see is forgotten, so the memory stays bounded. */
    look(signs, now) {
        const passedMs = this.#lookedAt === null ? 0 : now - this.#lookedAt;
        this.#lookedAt = now;
        this.#watched = new Map(signs.map(({ id, sign, holeMsMax }) => {
            const before = this.#watched.get(id);
            const unchangedMs = before?.sign === sign ? before.unchangedMs + Math.min(passedMs, holeMsMax) : 0;
            return [id, { sign, unchangedMs }];
        }));
    }
    /** For how long the sign was seen unchanged, in ms; 0 for what is not watched. */
    unchangedMs(id) {
        return this.#watched.get(id)?.unchangedMs ?? 0;
    }
    /** A look failed: whatever is watched is watched anew. */
    startAnew() {
        this.#watched = new Map();
        this.#lookedAt = null;
    }
}
//# sourceMappingURL=watch.js.map