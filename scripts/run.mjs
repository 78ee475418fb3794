// `npm run simulate`, the soaks and the benches: a ready clone, then the named TypeScript program in this very process, so
// that signals and the exit code are its own. Usage: node scripts/run.mjs PROGRAM [ARGUMENT...]
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bootstrapForTests, root } from "./bootstrap.mjs";

const [program, ...parameters] = process.argv.slice(2);
if (program === undefined)
  throw new Error("name the program to run, as in: node scripts/run.mjs simulation/main.ts");

bootstrapForTests();
const setup = new URL("../test/setup/typescript.mjs", import.meta.url).href;
await import(setup);
// What it starts is TypeScript too, and gets what this process was started with.
process.execArgv = [...process.execArgv, "--import", setup];

const entry = resolve(root, program);
process.argv = [process.execPath, entry, ...parameters];
await import(pathToFileURL(entry).href);
