/** The command `destinations`. */

import type { DestinationView } from "../desk/destinations.ts";
import type { Command } from "./command.ts";
import { DATABASE_OPTIONS, withOpened } from "./open.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";

/** Lists where steps send to. */
export const destinationsCommand: Command = {
  name: "destinations",
  summary: "list where steps send to: what each may be sent now, what is under way, and who waits for it",
  positionals: [],
  options: [{ name: "json", value: null, help: "print one JSON document" }, ...DATABASE_OPTIONS],
  notes: ["The destinations are those of the case types of the configuration."],
  run: async (call) => {
    await withOpened(call, { definitions: "needed" }, async ({ desk }) => {
      const view = await desk.destinations();
      if (call.flag("json")) {
        sayJson(view);
        return;
      }
      if (view.destinations.length === 0) say("No loaded case type sends anywhere.");
      else for (const line of destinationLines(view.destinations)) say(line);
    });
  },
};

function destinationLines(destinations: readonly DestinationView[]): readonly string[] {
  const heading = ["DESTINATION", "CREDENTIAL", "LIMIT", "IN FLIGHT", "WORKERS", "HELD BACK", "STANDING"];
  const rows = destinations.map((one) => [
    one.destination,
    one.credentialId,
    one.limit === null ? "-" : `${one.limit} of ${one.limitMax}`,
    String(one.inFlight),
    String(one.workers),
    String(one.heldBack),
    one.sentence,
  ]);
  return tableLines(heading, rows, columns());
}
