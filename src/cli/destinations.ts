/** The command `destinations`. */

import { LOOK_OPTIONS } from "./act.ts";
import type { Command } from "./command.ts";
import type { Reply } from "./replies.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { withClient } from "./with-client.ts";

type Destination = Reply<"showTraffic">["destinations"][number];

/** Lists where steps send to. */
export const destinationsCommand: Command = {
  name: "destinations",
  summary:
    "list where steps send to: what each may be sent now, what is under way, who waits for it, and what was tried",
  positionals: [],
  options: LOOK_OPTIONS,
  notes: [
    "The destinations are those of the case types of the configuration, the server's where one is asked.",
  ],
  run: async (call) => {
    await withClient(call, { definitions: "needed" }, async (client) => {
      const traffic = await client.showTraffic();
      if (call.flag("json")) sayJson(traffic);
      else if (traffic.destinations.length === 0) say("No loaded case type sends anywhere.");
      else for (const line of destinationLines(traffic.destinations)) say(line);
    });
  },
};

function destinationLines(destinations: readonly Destination[]): readonly string[] {
  const heading = [
    "DESTINATION",
    "CREDENTIAL",
    "LIMIT",
    "IN FLIGHT",
    "WORKERS",
    "HELD BACK",
    "TRIED IN 12 H",
    "STANDING",
  ];
  const rows = destinations.map((one) => [
    one.destination,
    one.credentialId,
    one.limit === null ? "-" : `${one.limit} of ${one.limitMax}`,
    String(one.inFlight),
    String(one.workers),
    String(one.heldBack),
    sayTried(one.tried),
    one.sentence,
  ]);
  return tableLines(heading, rows, columns());
}

/** Such as "120 attempts, 4 failed, 7 hidden retries". */
function sayTried({ attempts, failed, repeats }: Destination["tried"]): string {
  if (attempts === 0) return "-";
  return [
    attempts === 1 ? "1 attempt" : `${attempts} attempts`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(repeats === 0 ? [] : [repeats === 1 ? "1 hidden retry" : `${repeats} hidden retries`]),
  ].join(", ");
}
