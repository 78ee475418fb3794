import { connect } from "node:net";
import { randomInt } from "node:crypto";

/** How many ports are tried before giving up. */
const portTriesMax = 50;

/** How long one try may take, in milliseconds; on loopback a refusal takes well under one. */
const tryTimeoutMs = 1000;

/**
 * Finds a loopback address that refuses connections: `http://127.0.0.1:PORT` with nothing listening on PORT.
 *
 * The port lies below the range that systems hand out by themselves, so no other program gets it by chance
 * and no connection to it can meet itself. It was refused when this returns; a program that asks for this
 * very port by number could still open it later. Throws when no closed port was found in 50 tries.
 */
export async function findClosedUrl(): Promise<string> {
  for (let tryCount = 0; tryCount < portTriesMax; tryCount += 1) {
    const port = randomInt(20_000, 30_000);
    if (await isRefused(port)) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`found no closed port on 127.0.0.1 in ${portTriesMax} tries`);
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: tryTimeoutMs });
    const finish = (refused: boolean): void => {
      socket.destroy();
      resolve(refused);
    };
    socket.once("connect", () => finish(false));
    socket.once("timeout", () => finish(false));
    socket.once("error", (error: NodeJS.ErrnoException) => finish(error.code === "ECONNREFUSED"));
  });
}
