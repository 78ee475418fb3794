import type { Client } from "pg";

/** The tables in which any row holds a text, as itself or as bytes, in order. */
export async function tablesWith(client: Client, text: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly table_name: string }>(
    "select table_name from information_schema.tables where table_schema = 'foothold' order by table_name",
  );
  const found: string[] = [];
  for (const { table_name: table } of rows) {
    const { rows: hits } = await client.query<{ readonly is_there: boolean }>(
      `select exists (
         select from foothold.${table} as t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0
       ) as is_there`,
      [text, Buffer.from(text).toString("hex")],
    );
    if (hits[0]?.is_there === true) found.push(table);
  }
  return found;
}
