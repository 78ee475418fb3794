/**
 * The database's clock, followed by the monotonic clock between two readings of it. A jump of this machine's wall
 * clock changes nothing; what is written carries the database's time, whoever writes it.
 */
/** Follows the database's clock. */
export class DatabaseClock {
    #clock;
    #offset = null;
    constructor(clock) {
        this.#clock = clock;
    }
    /** Takes a reading: the database said `databaseNow` in an answer that came just now. It runs behind by the way back. */
    follow(databaseNow) {
        this.#offset = databaseNow - this.#clock.monotonic();
    }
    /** Database time in whole ms; before the first reading, this machine's wall clock. */
    now() {
        if (this.#offset === null)
            return Math.floor(this.#clock.now());
        return Math.floor(this.#clock.monotonic() + this.#offset);
    }
}
//# sourceMappingURL=database-clock.js.map