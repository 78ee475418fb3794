import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = fileURLToPath(new URL("under-node-test.ts", import.meta.url));
/** How long the child may take, in ms. */
const CHILD_MS_MAX = 30_000;

test("the kit works under node:test, and keeps no process alive", { timeout: CHILD_MS_MAX }, async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "./test/setup/typescript.mjs", "--test-reporter", "tap", program],
    { cwd: root, timeout: CHILD_MS_MAX, env: { ...process.env, NODE_TEST_CONTEXT: "" } },
  );
  expect(stdout).toMatch(/^# pass 2$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
