import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canEnter, chooseAccount, parseAccounts } from "./account.ts";

const isRoot = process.getuid?.() === 0;
let base: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "foothold-account-"));
  chmodSync(base, 0o755);
});

afterAll(() => rmSync(base, { recursive: true }));

test("accounts are read from passwd without root, negative ids and broken lines", () => {
  const passwd =
    "root:x:0:0::/root:/bin/sh\n# comment\nnobody:*:-2:-2::/:/x\nbroken:x:7\nwww:x:33:34::/:/x\n";
  expect(parseAccounts(passwd)).toEqual([{ name: "www", uid: 33, gid: 34 }]);
});

test.skipIf(isRoot)("somebody who is not root runs the server as they are (skipped for root)", () => {
  expect(chooseAccount(join(base, "data"))).toBeUndefined();
});

describe.skipIf(!isRoot)("as root (skipped for others)", () => {
  test("the server runs as the owner of the data, even one without a name", () => {
    const data = join(base, "owned");
    mkdirSync(data);
    chownSync(data, 12_345, 12_346);
    expect(chooseAccount(data)).toEqual({ uid: 12_345, gid: 12_346 });
  });

  test("never runs as root, whoever owns the data or the folders above", () => {
    const data = join(base, "roots");
    mkdirSync(data);
    expect(chooseAccount(data)?.uid).toBeGreaterThan(0);
    expect(chooseAccount(join(data, "not/there/yet"))?.uid).toBeGreaterThan(0);
  });

  test("makes new data as the owner of the folder only if initdb can name that account", () => {
    const home = join(base, "home");
    mkdirSync(home);
    chownSync(home, 65_534, 65_534);
    expect(chooseAccount(join(home, ".foothold/data"))?.uid).toBe(65_534);
    chownSync(home, 12_345, 12_345);
    expect(chooseAccount(join(home, ".foothold/data"))?.uid).not.toBe(12_345);
  });
});

test("an account can enter a folder only if owner, group or others may enter it and all above", () => {
  const closed = join(base, "closed");
  mkdirSync(join(closed, "open"), { recursive: true });
  const stranger = { uid: 54_321, gid: 54_321 };
  chmodSync(closed, 0o755);
  expect(canEnter(join(closed, "open"), stranger)).toBe(true);
  chmodSync(closed, 0o750);
  expect(canEnter(join(closed, "open"), stranger)).toBe(false);
  expect(canEnter(join(closed, "open"), { uid: 54_321, gid: process.getgid?.() ?? 0 })).toBe(true);
  expect(canEnter(join(closed, "open"), { uid: process.getuid?.() ?? 0, gid: 54_321 })).toBe(true);
});
