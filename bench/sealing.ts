/**
 * What sealing costs: payloads of several sizes turned into what is stored and back, as plain JSON with its hash and with the
 * codec, in turns. `npm run bench:sealing`. Prints the time of one payload, medians of all turns, and the ratio.
 */

import { createHash, randomBytes } from "node:crypto";
import { aesGcm } from "foothold/postgres";

const TURNS = 41;
const PAYLOADS_PER_TURN = 500;
const SIZES = [300, 2_000, 50_000];

const codec = aesGcm({ keys: [{ id: "bench", secret: randomBytes(32) }] });

for (const bytes of SIZES) {
  const value = { text: "x".repeat(bytes) };
  const [plain, sealed]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn += 1) {
    plain.push(await timed(async () => void read(write(value))));
    sealed.push(
      await timed(async () => {
        const [stored] = await codec.seal([{ place: "bench", bytes: write(value) }]);
        if (stored === undefined) throw new Error("nothing was sealed");
        createHash("sha256").update(stored.bytes).digest();
        const [opened] = await codec.open([{ ...stored, place: "bench" }]);
        if (opened?.kind !== "opened") throw new Error("it was not opened");
        read(opened.bytes);
      }),
    );
  }
  const [one, other] = [median(plain), median(sealed)];
  console.log(
    `${bytes} bytes: ${one.toFixed(1)} µs plain, ${other.toFixed(1)} µs sealed, ${(other - one).toFixed(1)} µs more`,
  );
}

function write(value: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(value));
  createHash("sha256").update(bytes).digest();
  return bytes;
}

function read(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString("utf8"));
}

/** The time of one payload, µs. */
async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  for (let count = 0; count < PAYLOADS_PER_TURN; count += 1) await work();
  return ((performance.now() - startedAt) * 1_000) / PAYLOADS_PER_TURN;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
