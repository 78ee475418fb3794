import { randomBytes } from "node:crypto";
import { writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, asyncProperty, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeptPayload, PayloadCodec } from "../../core/payload-codec.ts";
import { aesGcm } from "./aes-gcm.ts";

const old = { id: "2025", secret: randomBytes(32) };
const now = { id: "2026", secret: randomBytes(32) };
const place = "journal/07-case/3";

async function sealOne(codec: PayloadCodec, bytes: Uint8Array, at = place): Promise<KeptPayload> {
  const [sealed] = await codec.seal([{ place: at, bytes }]);
  if (sealed === undefined) throw new Error("nothing was sealed");
  return { ...sealed, place: at };
}

async function openOne(codec: PayloadCodec, kept: KeptPayload): Promise<string> {
  const [opened] = await codec.open([kept]);
  return opened?.kind === "opened" ? Buffer.from(opened.bytes).toString("base64") : "refused";
}

describe("aesGcm()", () => {
  test("opens what it sealed, byte for byte, and seals nothing twice alike", async () => {
    const codec = aesGcm({ keys: [now] });
    await assert(
      asyncProperty(uint8Array({ maxLength: 300 }), string(), async (bytes, at) => {
        const [one, other] = [await sealOne(codec, bytes, at), await sealOne(codec, bytes, at)];
        expect(await openOne(codec, one)).toBe(Buffer.from(bytes).toString("base64"));
        expect([one.header, one.bytes]).not.toEqual([other.header, other.bytes]);
      }),
      { numRuns: 60 },
    );
  });

  test("refuses a payload with any single byte or character of it changed, cut or added", async () => {
    const codec = aesGcm({ keys: [now] });
    const kept = await sealOne(codec, Buffer.from("what nobody may change"));
    for (let at = 0; at < kept.bytes.length; at += 1) {
      const bytes = Uint8Array.from(kept.bytes);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect(await openOne(codec, { ...kept, bytes })).toBe("refused");
    }
    const header = Buffer.from(kept.header, "base64url");
    for (let at = 0; at < header.length; at += 1) {
      const changed = Buffer.from(header);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await openOne(codec, { ...kept, header: changed.toString("base64url") })).toBe("refused");
    }
    for (const length of [0, 11, 27, kept.bytes.length - 1]) {
      expect(await openOne(codec, { ...kept, bytes: kept.bytes.slice(0, length) })).toBe("refused");
    }
    expect(await openOne(codec, { ...kept, bytes: Buffer.concat([kept.bytes, Buffer.of(0)]) })).toBe(
      "refused",
    );
    expect(await openOne(codec, { ...kept, header: "" })).toBe("refused");
  });

  test("refuses a payload at another place, under another key id, and under a key of the same id", async () => {
    const codec = aesGcm({ keys: [now, old] });
    const kept = await sealOne(codec, Buffer.from("for one place"));
    expect(await openOne(codec, { ...kept, place: "journal/07-case/4" })).toBe("refused");
    expect(await openOne(codec, { ...kept, keyId: old.id })).toBe("refused");
    expect(await openOne(codec, { ...kept, keyId: "2024" })).toBe("refused");
    const impostor = aesGcm({ keys: [{ id: now.id, secret: randomBytes(32) }] });
    expect(await openOne(impostor, kept)).toBe("refused");
  });

  test("turns a payload to its first key without touching the bytes; then the older key is needed no more", async () => {
    const kept = await sealOne(aesGcm({ keys: [old] }), Buffer.from("kept for years"));
    const both = aesGcm({ keys: [now, old] });
    const [turned, odd] = await both.rewrap([kept, { ...kept, place: "elsewhere" }]);
    expect(odd).toMatchObject({ kind: "refused" });
    if (turned?.kind !== "rewrapped") throw new Error("it was refused");
    expect(turned.keyId).toBe("2026");
    const after = { ...kept, keyId: turned.keyId, header: turned.header };
    expect(await openOne(aesGcm({ keys: [now] }), after)).toBe(
      Buffer.from("kept for years").toString("base64"),
    );
    expect(await openOne(aesGcm({ keys: [old] }), after)).toBe("refused");
  });

  test("takes a secret as bytes, in base64, in hexadecimal and from a file", async () => {
    const secret = randomBytes(32);
    const file = join(mkdtempSync(join(tmpdir(), "key-")), "key");
    writeFileSync(file, `${secret.toString("base64")}\n`);
    const kept = await sealOne(aesGcm({ keys: [{ id: "a", secret }] }), Buffer.from("x"));
    for (const key of [
      { id: "a", secret: secret.toString("base64") },
      { id: "a", secret: secret.toString("hex") },
      { id: "a", secretFile: file },
    ]) {
      expect(await openOne(aesGcm({ keys: [key] }), kept)).toBe(Buffer.from("x").toString("base64"));
    }
  });

  test.each([
    ["no keys", [], "has no key"],
    ["a variable that is not set", [{ id: "a", secret: undefined }], "key a has no secret"],
    ["an empty secret", [{ id: "a", secret: "" }], "key a has no secret"],
    ["a password", [{ id: "a", secret: "correct horse battery" }], "not 32 bytes"],
    ["a shorter key", [{ id: "a", secret: randomBytes(16) }], "not 32 bytes"],
    ["a file that is not there", [{ id: "a", secretFile: "/nowhere/key" }], "cannot be read"],
    ["two keys of one id", [now, now], "two keys with the id 2026"],
  ])("refuses %s, and tells no secret", (_, keys, says) => {
    const make = (): PayloadCodec => aesGcm({ keys });
    expect(make).toThrow(says);
    expect(make).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    expect(make).not.toThrow(/horse/);
  });
});
