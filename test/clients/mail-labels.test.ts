import { createTransport } from "nodemailer";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { closedPort } from "./closed-port.ts";
import { misjudged } from "./labels/judge.ts";
import { MAIL_AND_RPC } from "./labels/mail-and-rpc.ts";
import { listening, thrownBy } from "./listening.ts";

// nodemailer against a mail server that goes wrong at one place of the dialog.

/** How long the client waits for a server that stays silent, and for one that answers, in ms. */
const SHORT_MS = 150;
const LONG_MS = 4_000;

const GOOD: readonly (readonly [command: string, reply: string])[] = [
  ["EHLO", "250-fake\r\n250 AUTH PLAIN"],
  ["AUTH", "235 2.7.0 ok"],
  ["MAIL", "250 2.1.0 ok"],
  ["RCPT", "250 2.1.5 ok"],
  ["DATA", "354 go on"],
  ["QUIT", "221 bye"],
];

/** Answers well but at `place`, where it says `fault`, closes, or stays silent. */
function serve(place: string, fault: string): (socket: Socket) => void {
  return (socket) => {
    const say = (at: string, reply: string): void => {
      if (at !== place) return void socket.write(`${reply}\r\n`);
      if (fault === "closed") return void socket.destroy();
      if (fault !== "silent") socket.write(`${fault} said by the test\r\n`);
    };
    let isData = false;
    let read = "";
    say("greeting", "220 fake");
    socket.on("data", (chunk) => {
      read += chunk.toString();
      if (isData) {
        if (!read.endsWith("\r\n.\r\n")) return;
        isData = false;
        read = "";
        say("end of DATA", "250 2.0.0 taken");
        return;
      }
      while (read.includes("\r\n")) {
        const line = read.slice(0, read.indexOf("\r\n"));
        read = read.slice(line.length + 2);
        const [command, reply] = GOOD.find(([one]) => line.toUpperCase().startsWith(one)) ?? [
          "",
          "502 5.5.1 no",
        ];
        isData = command === "DATA" && place !== "DATA";
        say(command, reply);
      }
    });
  };
}

async function send(port: number, patienceMs = LONG_MS): Promise<unknown> {
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    auth: { user: "u", pass: "p" },
    secure: false,
    ignoreTLS: true,
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    // Later than the others: on a busy machine the one that ends first would be drawn by lot.
    socketTimeout: 20 * patienceMs,
  });
  try {
    return await transport.sendMail({ from: "a@example.com", to: "b@example.com", subject: "s", text: "t" });
  } finally {
    transport.close();
  }
}

async function act(situation: string): Promise<unknown> {
  if (situation === "port closed") return send(await closedPort());
  const [place = "", fault = ""] = situation.split(": ");
  const server = await listening(serve(place, fault));
  try {
    return await send(server.port, fault === "silent" ? SHORT_MS : LONG_MS);
  } finally {
    await server.stop();
  }
}

describe("what a mail server says", () => {
  const labels = MAIL_AND_RPC.filter(({ client }) => client === "nodemailer");
  test.each(labels.map((label) => [label.situation, label] as const))("%s", async (situation, label) => {
    const thrown = await thrownBy(() => act(situation));
    const input = { destination: "mail", stopped: null, now: Date.now(), evidence: null, sorters: [] };
    expect(misjudged(thrown, input, label.expected)).toEqual([]);
  });
});
