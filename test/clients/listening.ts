/** Small servers over TCP, which speak only as much of a protocol as a client needs to throw its error. */

import { createServer, type AddressInfo, type Socket } from "node:net";

/** A server that listens. */
export interface Listening {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts one; `serve` is called for each connection. */
export async function listening(serve: (socket: Socket) => void): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // A server on TCP has an address with a port.
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What `work` throws. Throws itself where nothing was thrown. */
export async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  return Promise.resolve()
    .then(work)
    .then(
      () => {
        throw new Error("it went well");
      },
      (error: unknown) => error,
    );
}
