/** The real clock, randomness and hash. The only place of the engine that touches them. */
import { createHash, randomBytes } from "node:crypto";
/** Longest delay that a Node timer takes; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Letters and digits that are not mistaken for one another (Crockford's base 32). */
const SUFFIX_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH = 12;
const UNIQUE_BYTES = 16;
/** The ports of a real process. */
export function systemPorts() {
    return { clock: systemClock, ids: systemIds, random: Math.random, digest };
}
const systemClock = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep,
};
const systemIds = {
    unique: () => randomBytes(UNIQUE_BYTES).toString("hex"),
    caseSuffix: () => Array.from(randomBytes(SUFFIX_LENGTH), (byte) => SUFFIX_ALPHABET[byte % 32]).join(""),
};
function digest(text) {
    return createHash("sha256").update(text).digest("hex");
}
function sleep(delayMs, signal) {
    return new Promise((resolve) => {
        if (signal?.aborted === true) {
            resolve();
            return;
        }
        const finish = () => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", finish);
            resolve();
        };
        const timer = setTimeout(finish, Math.min(Math.max(0, delayMs), TIMER_MS_MAX));
        signal?.addEventListener("abort", finish, { once: true });
    });
}
//# sourceMappingURL=system.js.map