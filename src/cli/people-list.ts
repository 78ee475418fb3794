/** `people list`: who may sign in. */

import { LOOK_OPTIONS } from "./act.ts";
import type { Command } from "./command.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";
import { withClient } from "./with-client.ts";

/** Lists people. */
export const peopleListCommand: Command = {
  name: "people list",
  summary: "show who may sign in, and with which roles",
  positionals: [],
  options: LOOK_OPTIONS,
  notes: [],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const view = await client.listPeople();
      if (call.flag("json")) return sayJson(view);
      if (view.people.length === 0)
        return say(`Nobody is there yet: ${SPOKEN_NAME} people add NAME --role admin`);
      const rows = view.people.map(({ name, roles, createdAt, disabledAt }) => [
        name,
        roles.join(", "),
        formatTime(createdAt),
        disabledAt === null ? "" : formatTime(disabledAt),
      ]);
      for (const line of tableLines(["NAME", "ROLES", "ADDED", "DISABLED"], rows, columns())) say(line);
    }),
};
