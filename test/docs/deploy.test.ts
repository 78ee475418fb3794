import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { readCall } from "../../src/cli/command.ts";
import { findCommand } from "../../src/cli/commands.ts";

const folder = new URL("../../docs/examples/deploy/", import.meta.url);
/** How long a worker finishes what it sends and gives back what it holds, in s. */
const STOPPING_S = 40;

function read(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

/** Throws what the command line itself would say. */
function nameOf(words: readonly string[]): string {
  const { command, rest } = findCommand(words);
  return readCall(command, rest).command.name;
}

const kubernetes = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    template: z
      .object({
        spec: z.object({
          terminationGracePeriodSeconds: z.number().optional(),
          containers: z.array(z.object({ args: z.array(z.string()) })),
        }),
      })
      .optional(),
  }),
});
const compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      build: z.string().optional(),
      command: z.array(z.string()).optional(),
      stop_grace_period: z.string().optional(),
    }),
  ),
});

describe("the files for deploying", () => {
  test("run commands that there are, with options that they take", () => {
    const manifests = parseAllDocuments(read("kubernetes.yml")).map((one) => kubernetes.parse(one.toJS()));
    const inPods = manifests
      .flatMap(({ spec }) => spec.template?.spec.containers ?? [])
      .map(({ args }) => nameOf(args));
    expect(inPods).toEqual(["migrate", "serve", "worker"]);
    const { services } = compose.parse(parse(read("compose.yml")));
    const ours = Object.values(services).filter(({ build }) => build !== undefined);
    expect(ours.map(({ command = [] }) => nameOf(command))).toEqual(["migrate", "serve", "worker"]);
    const units = ["foothold-server.service", "foothold-worker@.service"].map((name) => {
      const [, words = ""] =
        /^ExecStart=\S+ node_modules\/foothold\/dist\/cli\/main\.js (.*)$/m.exec(read(name)) ?? [];
      return nameOf(words.split(" "));
    });
    expect(units).toEqual(["serve", "worker"]);
    const [, command = ""] = /^CMD (.*)$/m.exec(read("Dockerfile")) ?? [];
    expect(nameOf(z.array(z.string()).parse(JSON.parse(command)))).toBe("worker");
  });

  test("leave whoever is stopped the time to finish", () => {
    const manifests = parseAllDocuments(read("kubernetes.yml")).map((one) => kubernetes.parse(one.toJS()));
    const inPods = manifests
      .filter(({ kind }) => kind === "Deployment")
      .map(({ spec }) => spec.template?.spec.terminationGracePeriodSeconds ?? 0);
    const { services } = compose.parse(parse(read("compose.yml")));
    const inCompose = ["server", "worker"].map((name) =>
      Number.parseInt(services[name]?.stop_grace_period ?? "0", 10),
    );
    const inUnits = ["foothold-server.service", "foothold-worker@.service"].map((name) =>
      Number(/^TimeoutStopSec=(\d+)$/m.exec(read(name))?.[1] ?? 0),
    );
    const given = [...inPods, ...inCompose, ...inUnits];
    expect(given).toHaveLength(6);
    expect(Math.min(...given)).toBeGreaterThanOrEqual(STOPPING_S);
  });

  test("start the file that the package calls foothold", () => {
    const { bin } = z
      .object({ bin: z.object({ foothold: z.string() }) })
      .parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")));
    for (const name of ["Dockerfile", "foothold-server.service", "foothold-worker@.service"]) {
      expect(read(name)).toContain(`node_modules/foothold/${bin.foothold}`);
    }
  });
});
