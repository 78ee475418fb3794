/** The shop behind Express. */

import express from "express";
import type { Mounted } from "./mounted.ts";
import type { Shop } from "./shop.ts";

/** Listens on 127.0.0.1; port 0 = any free one. */
export async function startExpress(shop: Shop, port: number): Promise<Mounted> {
  const app = express();
  // Before express.json(): the signature is over the bytes as they were sent.
  app.post("/hooks/:source", (request, response) => void shop.inbox.node(request, response));
  app.use(express.json());
  app.post("/orders", async (request, response) => {
    const { status, body } = await shop.takeOrder(request.body);
    response.status(status).json(body);
  });
  app.get("/orders/:caseId", async (request, response) => {
    const { status, body } = await shop.showOrder(request.params.caseId);
    response.status(status).json(body);
  });

  const server = app.listen(port, "127.0.0.1");
  await new Promise<void>((resolve, reject) => server.once("listening", resolve).once("error", reject));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}`,
    stop: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      await shop.stop();
    },
  };
}
