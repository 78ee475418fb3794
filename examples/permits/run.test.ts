import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/setup/database.ts";
import { makeTestFolder, removeTestFolder } from "../../test/setup/server.ts";
import type { Figures } from "./figures.ts";
import { generatePermitLog } from "./generate.ts";

const program = fileURLToPath(new URL("run.ts", import.meta.url));
const typescript = new URL("../../test/setup/typescript.mjs", import.meta.url).href;

/** Longest run of one test, in milliseconds; a good one takes a few seconds, also beside other tests. */
const runMsMax = 100_000;

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "foothold-permits-test-"));
  database = await createTestDatabase();
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

function makeLog(caseCount: number): string {
  const file = join(folder, `${caseCount}.csv`);
  writeFileSync(file, generatePermitLog({ seed: 1, caseCount }));
  return file;
}

/** Runs the program as a person does, in a process of its own that starts the workers' processes. */
function runPermitLog(...parameters: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--import", typescript, program, ...parameters],
      { timeout: runMsMax },
      (_, stdout, stderr) => resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

function figuresIn({ stdout, stderr }: Ended): Figures {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) throw new Error(`there are no figures. stdout: ${stdout} stderr: ${stderr}`);
  return JSON.parse(line) as Figures;
}

/** Compared with what the program said on stderr, so that a failure shows it. */
function expectExit({ exitCode, stderr }: Ended, wanted: number): void {
  expect({ exitCode, stderr }).toEqual({ exitCode: wanted, stderr });
}

/** What must hold after every run of a log with so many cases. */
function expectAllOnce(ended: Ended, caseCount: number): Figures {
  const figures = figuresIn(ended);
  expectExit(ended, 0);
  expect(figures).toMatchObject({
    cases: caseCount,
    done: caseCount,
    effects: figures.steps,
    duplicateEffects: 0,
    missing: 0,
    outOfOrder: 0,
    unexpected: 0,
  });
  return figures;
}

async function schemasLeft(): Promise<number> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(
      "select count(*) from pg_namespace where nspname like 'permits%'",
    );
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}

test(
  "in memory, with faults of the destinations, every step takes effect once and in order",
  { timeout: runMsMax },
  async () => {
    const ended = await runPermitLog(makeLog(40), "--store", "memory", "--faults", "7", "--json");
    expectAllOnce(ended, 40);
    expect(ended.stdout.trimEnd().split("\n")).toHaveLength(1);
  },
);

test(
  "with workers that are killed and stopped, every step takes effect once and in order, and nothing is left behind",
  { timeout: runMsMax },
  async () => {
    const parameters = ["--store", "postgres", "--url", database.url, "--workers", "3", "--faults", "7"];
    const ended = await runPermitLog(makeLog(40), ...parameters, "--json");
    const figures = expectAllOnce(ended, 40);
    expect(figures.killsByPoint).toEqual({
      beforeIntent: 1,
      afterIntent: 1,
      duringSend: 1,
      afterSend: 1,
      beforeConfirm: 1,
    });
    expect(figures.killedWithIntentOpen).toBe(4);
    expect(figures.stoppedPastLease).toBe(1);
    expect(figures.lateRefused).toBeGreaterThanOrEqual(1);
    expect(await schemasLeft()).toBe(0);
  },
);

test(
  "two runs in one embedded folder, one after the other, do not meet each other's cases",
  { timeout: runMsMax },
  async () => {
    const data = makeTestFolder();
    try {
      for (let run = 1; run <= 2; run += 1) {
        const ended = await runPermitLog(makeLog(12), "--data", join(data, "own"), "--workers", "2");
        expectExit(ended, 0);
        expect(ended.stdout).toContain("Every case is done");
      }
      expect(readdirSync(join(data, "own"))).toContain("data");
    } finally {
      await removeTestFolder(data);
    }
  },
);

test(
  "a run that takes too long is given up, says so and leaves what it wrote for people to look at",
  { timeout: runMsMax },
  async () => {
    const parameters = ["--url", database.url, "--timeout", "1", "--faults", "7", "--json"];
    const ended = await runPermitLog(makeLog(600), ...parameters);
    expectExit(ended, 1);
    expect(ended.stderr).toContain("the run was given up: it took longer than 1 s");
    expect(figuresIn(ended).done).toBeLessThan(600);
    expect(await schemasLeft()).toBe(1);
  },
);

test("what cannot be run is refused in one line with exit code 2", { timeout: runMsMax }, async () => {
  const empty = join(folder, "empty.csv");
  writeFileSync(empty, "case_id,activity\ncase-1,T02\n");
  for (const { parameters, says } of [
    { parameters: [join(folder, "nowhere.csv")], says: /nowhere\.csv cannot be read: there is no such file/ },
    { parameters: [folder], says: /cannot be read: it is a folder/ },
    { parameters: [empty], says: /empty\.csv, line 1: the header lacks: at/ },
    { parameters: [empty, "--store", "memory", "--workers", "2"], says: /takes one worker/ },
  ]) {
    const { exitCode, stdout, stderr } = await runPermitLog(...parameters);
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  }
});

test(
  "a database that is not there is told with its code and without its password",
  { timeout: runMsMax },
  async () => {
    const url = "postgres://someone:secret@127.0.0.1:1/none";
    const ended = await runPermitLog(makeLog(12), "--url", url);
    expectExit(ended, 1);
    expect(ended.stderr).toContain("(DATABASE_UNAVAILABLE)");
    expect(ended.stderr).not.toContain("secret");
  },
);
