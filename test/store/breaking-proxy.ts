import { connect, createServer, type Socket } from "node:net";

/** A proxy in front of a server on a Unix socket, which can break a connection at the worst moment. */
export interface BreakingProxy {
  readonly port: number;
  /** The next message that contains `text` breaks its connection: before the server gets it, or instead of the answer. */
  breakAt(text: string, when: "before" | "after"): void;
  /** How many connections were broken. */
  broken(): number;
  close(): Promise<void>;
}

export async function startBreakingProxy(socketPath: string): Promise<BreakingProxy> {
  let trap: { readonly text: string; readonly when: "before" | "after" } | null = null;
  let brokenCount = 0;
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect(socketPath);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    const destroy = (): void => {
      brokenCount += 1;
      client.destroy();
      upstream.end();
    };
    let isAnswerDropped = false;
    client.on("data", (chunk: Buffer) => {
      if (trap !== null && chunk.includes(trap.text)) {
        const { when } = trap;
        trap = null;
        if (when === "before") return destroy();
        isAnswerDropped = true;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk: Buffer) => {
      // The server has answered, so it has done it; the client never hears of it.
      if (isAnswerDropped) return destroy();
      client.write(chunk);
    });
    client.on("close", () => upstream.end());
    upstream.on("close", () => client.destroy());
  });

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    port: address.port,
    breakAt: (text, when) => (trap = { text, when }),
    broken: () => brokenCount,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
