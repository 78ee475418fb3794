/** Sends what is due until it is killed: `URL HOOK`. It says when its claim is on the way. */

import { postgresStore } from "foothold/postgres";
import { createNoticeSweep } from "../../src/notices/sweep.ts";
import { bookOf, partsOn } from "./world.ts";

const [url = "", hookUrl = ""] = process.argv.slice(2);
const channels = { pager: { kind: "pagerDuty", url: () => hookUrl, routingKey: () => "key" } } as const;
const book = bookOf({ channels, owners: { purchasing: { tell: ["pager"] } } });
const store = postgresStore({ url });
const onReport = (): void => undefined;
createNoticeSweep({ parts: partsOn(store, book), onReport, decideEveryMs: 100, holdMs: 1_000 }).start();
process.stdout.write("ready\n");
