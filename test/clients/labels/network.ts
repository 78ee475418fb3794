/** What goes wrong with a connection: before anything is sent, while it is sent, and after it was executed. */

import { label, type Label } from "./label.ts";

/** Clients that leave the status to their caller. */
const PLAIN = "fetch undici node:http axios got ky node-fetch gaxios";
/** Clients of one provider that can write and read. */
const BOTH = "s3 azure stripe openai anthropic octokit twilio hubspot jsforce sendgrid";
/** Clients of one provider that write only. */
const WRITE = "dynamodb slack";
/** Keeps no trace of what it ran into: only the wire knows. */
const MUTE = "shopify";

const ALL = `${PLAIN} ${BOTH} ${WRITE}`;

/** The labels. */
export const NETWORK: readonly Label[] = [
  // Nothing was sent: proved by the error alone, and by the wire for the one that says nothing.
  label(ALL, "port closed", "POST", ["unseen", "wire"], "transient no owner=system scope=destination"),
  label(MUTE, "port closed", "POST", "unseen", "unknown maybe cause=transient"),
  label(MUTE, "port closed", "POST", "wire", "transient no owner=system scope=destination"),
  label(PLAIN, "name unknown", "POST", ["unseen", "wire"], "transient no owner=system scope=destination"),
  label(PLAIN, "certificate refused", "POST", ["unseen", "wire"], "bug no owner=developer scope=destination"),

  // It was executed, and the answer was lost. No error tells this from "never arrived".
  label(ALL, "executed, then closed", "POST", ["unseen", "wire"], "unknown maybe cause=transient"),
  label(MUTE, "executed, then closed", "POST", ["unseen", "wire"], "unknown maybe cause=transient"),
  label(ALL, "executed, then reset", "POST", ["unseen", "wire"], "unknown maybe cause=transient"),
  label(MUTE, "executed, then reset", "POST", ["unseen", "wire"], "unknown maybe cause=transient"),
  label(ALL, "executed, then silent", "POST", ["unseen", "wire"], "unknown maybe"),
  label(MUTE, "executed, then silent", "POST", ["unseen", "wire"], "unknown maybe"),

  // A read has no effect. That it was one is proved by the wire, never by the error.
  label(`${PLAIN} ${BOTH}`, "executed, then closed", "GET", "wire", "transient no owner=system"),
  label(PLAIN, "executed, then closed", "GET", "unseen", "unknown maybe cause=transient"),
  label(`${PLAIN} ${BOTH}`, "executed, then reset", "GET", "wire", "transient no owner=system"),
  label(`${PLAIN} ${BOTH}`, "executed, then silent", "GET", "wire", "transient no owner=system"),

  // The status was there, the body was cut. These errors carry the status.
  label(
    "axios got",
    "answers 201 and cuts the body",
    "POST",
    ["unseen", "wire"],
    "unknown yes cause=transient",
  ),
  label(
    "fetch undici node:http ky node-fetch gaxios",
    "answers 201 and cuts the body",
    "POST",
    "unseen",
    "unknown maybe cause=transient",
  ),
  label(
    "fetch undici node:http ky node-fetch gaxios",
    "answers 201 and cuts the body",
    "POST",
    "wire",
    "unknown yes cause=transient",
  ),
  label(PLAIN, "answers 201 and cuts the body", "GET", "wire", "transient no"),
  // Octokit takes a cut body for a whole one, and jsforce never ends: neither throws anything to sort.
  label(
    "s3 azure stripe openai anthropic twilio hubspot sendgrid",
    "answers 201 and cuts the body",
    "POST",
    "wire",
    "unknown yes cause=transient",
  ),
  label(PLAIN, "answers what is no HTTP", "POST", ["unseen", "wire"], "unknown maybe"),
].flat();
