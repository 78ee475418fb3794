import { expect, test } from "vitest";
import { LIST_LIMIT_DEFAULT } from "../desk/desk.ts";
import { AUDIT_LINES_MAX } from "../store/audit-port.ts";
import { EVENT_LIST_MAX } from "../store/inbox-port.ts";
import { LIST_LIMIT_MAX } from "../store/port.ts";
import { COMMANDS, GROUPS } from "./commands.ts";
import { helpLines } from "./help.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "./paging.ts";

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

test("the pages that are asked for are as long as the API gives, and no longer", () => {
  expect([LIST_LIMIT_MAX, EVENT_LIST_MAX, AUDIT_LINES_MAX]).toEqual([PAGE_MAX, PAGE_MAX, PAGE_MAX]);
  expect(LIST_LIMIT_DEFAULT).toBe(PAGE_DEFAULT);
});

test("every command prints a document for programs, but those that run on and those that print nothing else", () => {
  const without = COMMANDS.filter(({ options }) => options.every(({ name }) => name !== "json"));
  expect(without.map(({ name }) => name)).toEqual([
    // Their log is JSON (`--log-format`).
    "dev",
    "serve",
    "worker",
    // One JSON document by itself.
    "cases export",
    "audit head",
    // A script of the shell.
    "completion",
  ]);
});
