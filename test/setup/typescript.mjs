// Lets a Node process of its own run our TypeScript as it stands: node --import ./test/setup/typescript.mjs FILE.ts
// Only types are taken away; every module keeps its place, so files beside it (SQL, pages) are found.
import { register } from "node:module";

register("./typescript-hooks.mjs", import.meta.url);
