/** `GET /orders/CASE`. */

import { shop } from "../../../shop.ts";

export async function GET(
  _request: Request,
  { params }: { readonly params: Promise<{ readonly caseId: string }> },
): Promise<Response> {
  const { status, body } = await (await shop()).showOrder((await params).caseId);
  return Response.json(body, { status });
}
