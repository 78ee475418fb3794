/** Spans as the SDK's own exporter prints them, read back from what processes printed. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const page = new URL("../../docs/guides/traces.md", import.meta.url);
/** Below the repository, so that the SDK is found. */
const folder = new URL("../../build/telemetry/", import.meta.url);

/** The set-up that the guide shows, as a file; what `--import` takes. */
export function setUpOfTheGuide(): string {
  const [, text] = /```js\n([^]*?)```/.exec(readFileSync(page, "utf8")) ?? [];
  if (text === undefined) throw new Error("the guide shows no set-up");
  mkdirSync(folder, { recursive: true });
  const file = new URL("telemetry.mjs", folder);
  writeFileSync(file, text);
  return file.href;
}

/** A span that was printed. */
export interface PrintedSpan {
  readonly traceId: string;
  readonly name: string;
  /** Traces that it is linked to. */
  readonly linked: readonly string[];
}

/** Every span in a text, in its order. */
export function printedSpans(text: string): readonly PrintedSpan[] {
  return [...text.matchAll(/^\{\n {2}resource: [^]*?^\}/gm)].map(([block]) => {
    const [, traceId = ""] = /^ {2}traceId: '(\w+)'/m.exec(block) ?? [];
    const [, name = ""] = /^ {2}name: '([^']+)'/m.exec(block) ?? [];
    const [, links = ""] = /^ {2}links: ([^]*)$/m.exec(block) ?? [];
    const linked = [...links.matchAll(/traceId: '(\w+)'/g)].map(([, id = ""]) => id);
    return { traceId, name, linked };
  });
}
