/** The shop behind NestJS. */

import "reflect-metadata";
import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpException,
  Inject,
  Module,
  Param,
  Post,
  type DynamicModule,
  type OnApplicationShutdown,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { Mounted } from "./mounted.ts";
import type { Answer, Shop } from "./shop.ts";

const SHOP = Symbol("shop");

@Controller("orders")
class Orders {
  readonly #shop: Shop;

  constructor(@Inject(SHOP) shop: Shop) {
    this.#shop = shop;
  }

  @Post()
  @HttpCode(202)
  async take(@Body() body: unknown): Promise<object> {
    return bodyOf(await this.#shop.takeOrder(body));
  }

  @Get(":caseId")
  async show(@Param("caseId") caseId: string): Promise<object> {
    return bodyOf(await this.#shop.showOrder(caseId));
  }
}

function bodyOf({ status, body }: Answer): object {
  if (status >= 400) throw new HttpException(body, status);
  return body;
}

@Module({})
class ShopModule implements OnApplicationShutdown {
  readonly #shop: Shop;

  constructor(@Inject(SHOP) shop: Shop) {
    this.#shop = shop;
  }

  static of(shop: Shop): DynamicModule {
    return { module: ShopModule, controllers: [Orders], providers: [{ provide: SHOP, useValue: shop }] };
  }

  /** It comes once the server takes no more requests, also at a signal where `enableShutdownHooks` was called. */
  onApplicationShutdown(): Promise<void> {
    return this.#shop.stop();
  }
}

/** Listens on 127.0.0.1; port 0 = any free one. */
export async function startNest(shop: Shop, port: number): Promise<Mounted> {
  const app = await NestFactory.create(ShopModule.of(shop), { logger: false });
  // What is used before Nest mounts its parsers sees the bytes as they were sent, over which the signature is.
  app.use("/hooks/payments", shop.inbox.nodeFor("payments"));
  await app.listen(port, "127.0.0.1");
  return { url: await app.getUrl(), stop: () => app.close() };
}
