/** The shop behind Fastify. */

import fastify from "fastify";
import type { Mounted } from "./mounted.ts";
import type { Shop } from "./shop.ts";

/** Listens on 127.0.0.1; port 0 = any free one. */
export async function startFastify(shop: Shop, port: number): Promise<Mounted> {
  const app = fastify();
  // A scope of its own, without parsers: the signature is over the bytes as they were sent.
  app.register((hooks, _options, done) => {
    hooks.removeAllContentTypeParsers();
    hooks.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null));
    hooks.post("/hooks/:source", (request, reply) => {
      reply.hijack();
      void shop.inbox.node(request.raw, reply.raw);
    });
    done();
  });
  app.post("/orders", async (request, reply) => {
    const { status, body } = await shop.takeOrder(request.body);
    return reply.code(status).send(body);
  });
  app.get<{ Params: { caseId: string } }>("/orders/:caseId", async (request, reply) => {
    const { status, body } = await shop.showOrder(request.params.caseId);
    return reply.code(status).send(body);
  });
  // It comes once the open requests have ended.
  app.addHook("onClose", () => shop.stop());

  return { url: await app.listen({ port, host: "127.0.0.1" }), stop: () => app.close() };
}
