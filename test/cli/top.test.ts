import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "foothold";
import { startDev, type Dev } from "foothold/dev";
import { memoryStore } from "foothold/memory";
import { runCommand } from "./program.ts";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** `script` of util-linux gives a command a terminal of its own. */
const tried = spawnSync("script", ["--version"], { encoding: "utf8" });
const hasTerminal = tried.error === undefined && tried.stdout.includes("util-linux");
const waiting = { timeout: 30_000 };

let dev: Dev;
let caseId = "";

beforeAll(async () => {
  const purchase = defineCase("purchase", {
    version: 1,
    owner: "purchasing",
    input: z.object({}),
  }).approval("approve", { by: "finance" });
  dev = await startDev({ store: memoryStore(), port: 0, cases: [purchase] });
  ({ caseId } = await dev.desk.startCase("purchase", {}, { by: "ada" }));
});

afterAll(() => dev.stop());

test("where nobody watches a terminal it prints one frame, or one document", async () => {
  const needing = async (): Promise<number> => (await dev.desk.list({ needsPeople: true })).cases.length;
  await expect.poll(needing, waiting).toBe(1);
  const plain = await runCommand(["top", "--server", dev.url]);
  expect([plain.code, plain.stderr]).toEqual([0, ""]);
  expect(plain.stdout).toMatch(/^foothold top {2}http/);
  expect(plain.stdout).toMatch(new RegExp(`^${caseId} {2}purchase {2}- {2}Waiting for approval`, "m"));
  expect(plain.stdout).not.toContain("\u001b");
  const json = await runCommand(["top", "--json", "--server", dev.url]);
  expect(JSON.parse(json.stdout)).toMatchObject({ needs: { cases: [{ caseId }] } });
});

test.skipIf(!hasTerminal)(
  "on a terminal it draws over itself, takes keys, says that the server is gone, and leaves all as it was",
  { timeout: 60_000 },
  async () => {
    const command = `stty cols 100 rows 30; "${process.execPath}" "${main}" top --server ${dev.url}`;
    const child = spawn("script", ["-qefc", command, "/dev/null"], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], TERM: "xterm", NO_COLOR: "1" },
    });
    let shown = "";
    child.stdout.on("data", (chunk: Buffer) => (shown += chunk.toString()));
    const closed = once(child, "close");
    const sees = (text: string): Promise<void> => expect.poll(() => shown.includes(text), waiting).toBe(true);
    await sees(`> ${caseId}`);
    child.stdin.write("\r");
    await sees("approve waits for finance.");
    child.stdin.write("p");
    await sees("[paused]");
    await dev.stop();
    shown = "";
    child.stdin.write("p");
    await sees("! No answer since");
    await sees(caseId);
    child.stdin.write("q");
    const [code] = (await closed) as [number];
    expect(code).toBe(0);
    expect(shown).toMatch(/\p{Cc}\[\?25h\p{Cc}\[\?1049l\s*$/u);
    // No color, and nothing is cleared before it is drawn.
    expect(shown).not.toMatch(/\p{Cc}\[(?:\d+m|2J)/u);
  },
);
