/** A port of this machine on which nobody listens. */

import { createServer, type AddressInfo } from "node:net";

/** Its number: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  // A server on TCP has an address with a port.
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  return port;
}
