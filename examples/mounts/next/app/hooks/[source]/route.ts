/** `POST /hooks/payments`. A route handler of Next parses no body, so the bytes are as they were sent. */

import { shop } from "../../../shop.ts";

export async function POST(request: Request): Promise<Response> {
  return (await shop()).inbox.fetch(request);
}
