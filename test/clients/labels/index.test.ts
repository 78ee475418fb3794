import { expect, test } from "vitest";
import { ANSWERS } from "./answers.ts";
import { BUILT } from "./built.ts";
import { CODES } from "./codes.ts";
import { DATABASES } from "./databases.ts";
import { titleOf } from "./label.ts";
import { MAIL_AND_RPC } from "./mail-and-rpc.ts";
import { NETWORK } from "./network.ts";
import { STATUSES } from "./statuses.ts";

const said = [...ANSWERS, ...CODES].flatMap(({ labels }) => labels);
const built = BUILT.map(({ label }) => label);

test("the table holds at least 400 labels, each for another client, status or code, method and evidence", () => {
  const titles = [...NETWORK, ...STATUSES, ...said, ...DATABASES, ...MAIL_AND_RPC, ...built].map(titleOf);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.length).toBeGreaterThanOrEqual(400);
});
