import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CONTRACTS } from "./contracts.ts";
import { API_BASE } from "./routes.ts";
import { WORK_ROUTES } from "./work-routes.ts";
import type { WorkApiTypes } from "./work-types.ts";

const page = readFileSync(new URL("../../../docs/reference/work-protocol.md", import.meta.url), "utf8");
const sections = new Map(
  page.split(/^## /m).map((text) => [/^`(\w+)`/.exec(text)?.[1] ?? "", text] as const),
);

function blocksIn(text: string, info: string): readonly unknown[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    .filter(([, said]) => said === info)
    .map(([, , value = ""]): unknown => JSON.parse(value));
}

describe("the page of the work protocol", () => {
  // The keys of the table are the names of its operations.
  test.each(Object.keys(WORK_ROUTES) as (keyof WorkApiTypes)[])(
    "shows %s as the server takes and tells it",
    (id) => {
      const text = sections.get(id) ?? "";
      expect(text).toContain(`${WORK_ROUTES[id].method} ${API_BASE}${WORK_ROUTES[id].path}\``);
      const [body, ...replies] = blocksIn(text, "json");
      expect(CONTRACTS[id].body.safeParse(body)).toMatchObject({ success: true });
      expect(replies).not.toEqual([]);
      for (const reply of replies)
        expect(CONTRACTS[id].reply.safeParse(reply)).toMatchObject({ success: true });
    },
  );

  test("shows answers as the server takes them", () => {
    const [report] = blocksIn(sections.get("reportWork") ?? "", "json");
    const answers = blocksIn(page, "json answer");
    expect(answers).toHaveLength(4);
    for (const answer of answers) {
      const told = CONTRACTS.reportWork.body.safeParse({ ...Object(report), answer });
      expect(told).toMatchObject({ success: true });
    }
  });
});
