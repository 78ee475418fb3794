/** The command `destinations`. */

import { destinationKey } from "../core/in-flight.ts";
import type { DestinationView } from "../desk/destinations.ts";
import type { Tried } from "../desk/history.ts";
import type { Command } from "./command.ts";
import { DATABASE_OPTIONS, withOpened } from "./open.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";

/** Lists where steps send to. */
export const destinationsCommand: Command = {
  name: "destinations",
  summary:
    "list where steps send to: what each may be sent now, what is under way, who waits for it, and what was tried",
  positionals: [],
  options: [{ name: "json", value: null, help: "print one JSON document" }, ...DATABASE_OPTIONS],
  notes: ["The destinations are those of the case types of the configuration."],
  run: async (call) => {
    await withOpened(call, { definitions: "needed" }, async ({ desk }) => {
      const [view, traffic] = await Promise.all([desk.destinations(), desk.traffic()]);
      const tried = new Map(traffic.destinations.map((one) => [keyOf(one), one.tried]));
      const destinations = view.destinations.map((one): Listed => ({
        ...one,
        tried: tried.get(keyOf(one)) ?? null,
      }));
      if (call.flag("json")) {
        sayJson({ ...view, destinations });
        return;
      }
      if (destinations.length === 0) say("No loaded case type sends anywhere.");
      else for (const line of destinationLines(destinations)) say(line);
    });
  },
};

/** A destination, and what was tried there over the last 12 hours. */
type Listed = DestinationView & { readonly tried: Tried | null };

function keyOf({ destination, credentialId }: Pick<DestinationView, "destination" | "credentialId">): string {
  return destinationKey(destination, credentialId);
}

function destinationLines(destinations: readonly Listed[]): readonly string[] {
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
function sayTried(tried: Tried | null): string {
  if (tried === null || tried.attempts === 0) return "-";
  const { attempts, failed, repeats } = tried;
  return [
    attempts === 1 ? "1 attempt" : `${attempts} attempts`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(repeats === 0 ? [] : [repeats === 1 ? "1 hidden retry" : `${repeats} hidden retries`]),
  ].join(", ");
}
