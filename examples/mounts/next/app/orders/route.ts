/** `POST /orders`. */

import { shop } from "../../shop.ts";

export async function POST(request: Request): Promise<Response> {
  const { status, body } = await (await shop()).takeOrder(await request.json().catch(() => null));
  return Response.json(body, { status });
}
