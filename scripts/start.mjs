// `npm start` and `npm run permits`: a ready clone, then the named program in this very process, so that signals and
// the exit code are its own. Usage: node scripts/start.mjs PROGRAM [ARGUMENT...]
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bootstrap, root } from "./bootstrap.mjs";

const [program, ...parameters] = process.argv.slice(2);
if (program === undefined)
  throw new Error("name the program to run, as in: node scripts/start.mjs build/a.js");

bootstrap();

const entry = resolve(root, program);
process.argv = [process.execPath, entry, ...parameters];
await import(pathToFileURL(entry).href);
