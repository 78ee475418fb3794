import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./lock.ts";
import { enter, listPresent } from "./presence.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "foothold-lock-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

test("of many contenders one works at a time, each gets its turn, and nothing is left", async () => {
  let working = 0;
  let workedCount = 0;
  const contend = (): Promise<void> =>
    withLock(folder, { waitMs: 20_000 }, async () => {
      working += 1;
      expect(working).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(working).toBe(1);
      working -= 1;
      workedCount += 1;
    });
  await Promise.all(Array.from({ length: 12 }, contend));
  expect(workedCount).toBe(12);
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock is free again when the work under it fails", async () => {
  const failing = withLock(folder, { waitMs: 100 }, () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await withLock(folder, { waitMs: 100 }, () => Promise.resolve("yes"))).toBe("yes");
});

test("waiting for a living holder ends with a code that names its process", async () => {
  const holder = enter(folder);
  await expect(withLock(folder, { waitMs: 50 }, () => Promise.resolve())).rejects.toMatchObject({
    code: "EMBEDDED_LOCKED",
    details: { pids: [process.pid] },
  });
  holder.leave();
  holder.leave();
});

test("waiting ends when it is aborted", async () => {
  enter(folder);
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(withLock(folder, { waitMs: 20_000, signal }, () => Promise.resolve())).rejects.toThrow(
    "enough",
  );
});

test("nobody waits for a dead process, nor for a later process with its id", async () => {
  writeFileSync(join(folder, `4194304-1-1`), "");
  writeFileSync(join(folder, `${process.pid}-1-1`), "");
  expect(await withLock(folder, { waitMs: 100 }, () => Promise.resolve("free"))).toBe("free");
  expect(listPresent(folder)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});
