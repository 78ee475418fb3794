/** Moments by the clock of the database that the API works on: it judges them, wherever the command runs. */

import type { Client } from "../http/client/client.ts";
import { readSince, readUntil } from "./times.ts";

/** A moment to come as people name it, epoch ms. Throws `USAGE`. */
export async function untilThere(client: Client, text: string): Promise<number> {
  return readUntil(text, await nowThere(client));
}

/** A moment that is past. Throws `USAGE`. */
export async function sinceThere(client: Client, text: string): Promise<number> {
  return readSince(text, await nowThere(client));
}

async function nowThere(client: Client): Promise<number> {
  return (await client.showSettings()).now;
}
