import { expect, test, vi } from "vitest";
import { ManualClock } from "../engine/manual-clock.fixture.ts";
import { readCall } from "./command.ts";
import { openLog } from "./process-log.ts";
import { workerCommand } from "./processes.ts";

const lost = { kind: "claimLost", caseId: "00case", claimId: "c-1" } as const;

async function written(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const lines: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    const { log, close } = await openLog(readCall(workerCommand, words), new ManualClock());
    log.onReport({ ...lost });
    for (let times = 0; times < 7; times += 1) log.onReport({ kind: "databaseBack", during: "claim" });
    log.onError(new Error("apikey=hunter2 is bad"));
    close();
  } finally {
    stderr.mockRestore();
    vi.unstubAllEnvs();
  }
  return lines.join("");
}

test("people read a line with the time, and for a fault its stack; what was left out is told at the end", async () => {
  const text = await written(["--log-format", "text"]);
  expect(text).toMatch(/^\S+ \S+ \S* ?00case: the claim was lost; another worker goes on with it\n/);
  expect(text).toMatch(/apikey=\*\*\* is bad\nError: apikey=\*\*\* is bad\n +at /);
  expect(text.match(/the database answers again/g)).toHaveLength(5);
  expect(text).toContain("2 more of databaseBack (claim) within 10 s");
});

test("the least that is told can be chosen, by an option before the environment", async () => {
  const env = { FOOTHOLD_LOG_FORMAT: "text", FOOTHOLD_LOG_LEVEL: "error" };
  const text = await written([], env);
  expect(text).toContain("is bad");
  expect(text).not.toContain("lost");
  expect(await written(["--log-level", "warn"], env)).toContain("the claim was lost");
});

test("a word that is none is refused, wherever it stands", async () => {
  const told = /--log-level and FOOTHOLD_LOG_LEVEL are one of debug, info, warn, error/;
  await expect(written(["--log-level", "loud"])).rejects.toThrow(told);
  await expect(written([], { FOOTHOLD_LOG_LEVEL: "loud" })).rejects.toThrow(told);
});
