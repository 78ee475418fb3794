import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Account } from "./processes.ts";

/** Used when no account has a name; the number that Linux and the BSDs give to files whose owner they cannot tell. */
const overflowId = 65534;

interface NamedAccount extends Account {
  readonly name: string;
}

/**
 * The account that the server runs as. PostgreSQL refuses to run as root, so as root it is, in this order: the owner of the
 * data folder; the owner of the folder it will be made in, so that people can go on without root; `postgres`; `nobody`; any
 * other. Of accounts for a new data folder only those with a name count, because initdb asks for it. Undefined when we are
 * not root: then the server runs as we do.
 */
export function chooseAccount(data: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = readOwner(data);
  if (owner !== undefined) return owner.uid === 0 ? chooseNamed(undefined) : owner;
  return chooseNamed(findNearestOwner(dirname(data)));
}

function chooseNamed(preferred: Account | undefined): Account {
  const accounts = parseAccounts(readAccounts());
  const chosen =
    accounts.find(({ uid }) => uid === preferred?.uid) ??
    accounts.find(({ name }) => name === "postgres") ??
    accounts.find(({ name }) => name === "nobody") ??
    accounts[0];
  return chosen === undefined ? { uid: overflowId, gid: overflowId } : { uid: chosen.uid, gid: chosen.gid };
}

/** Accounts of a passwd file in its order, root and lines that are none left out. */
export function parseAccounts(passwd: string): readonly NamedAccount[] {
  return passwd.split("\n").flatMap((line) => {
    const [name = "", , uid = "", gid = ""] = line.split(":");
    const isAccount = /^\d+$/.test(uid) && /^\d+$/.test(gid) && Number(uid) > 0;
    return isAccount ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/** Whether `account` may pass through every folder above `path` and enter `path` itself, by owner, group and mode. */
export function canEnter(path: string, account: Account): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function findNearestOwner(path: string): Account | undefined {
  for (let folder = path; ; folder = dirname(folder)) {
    const owner = readOwner(folder);
    if (owner !== undefined || folder === dirname(folder)) return owner;
  }
}

function readOwner(path: string): Account | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : { uid: stats.uid, gid: stats.gid };
}

function readAccounts(): string {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    return "";
  }
}
