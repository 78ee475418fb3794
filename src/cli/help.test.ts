import { expect, test } from "vitest";
import { COMMANDS, GROUPS } from "./commands.ts";
import { helpLines } from "./help.ts";

test.each(GROUPS)("help of the group %s lists each of its commands", (group) => {
  const own = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
  const [title, ...lines] = helpLines([group]);
  expect(title).toBe(`foothold ${group}`);
  expect(lines).toHaveLength(own.length);
  for (const [index, { name }] of own.entries()) expect(lines[index]).toContain(name);
});

test("help of a command that begins like a group is its own", () => {
  expect(helpLines(["problems"])[0]).toBe("foothold problems [OPTION…]");
});
