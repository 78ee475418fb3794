import { Client } from "pg";

/** Lets something be done by a superuser. */
export async function withClient<T>(url: string, act: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}
