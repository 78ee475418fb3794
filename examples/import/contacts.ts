/**
 * Contacts from a file into a CRM, as two case types: one for the file, and one for every 100 rows of it.
 *
 *     file  ──▶  chunks  ──▶  report
 *                  │
 *                  ├──▶  rows  ──▶  contacts: row 1 … row 100
 *                  ├──▶  rows  ──▶  contacts: row 101 … row 200
 *                  └──▶  …
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cannotTell, defineCase, defineDestination, found, notYet, type CaseType } from "foothold";
import { keyedFetch, readAnswer } from "foothold/destinations";
import { z } from "zod";

/**
 * Rows of one chunk: an `each` takes 500 at most, and an import 2,000 chunks. Fewer are quicker: each row that is taken is one
 * commit of its case, which is planned over all of them.
 */
const CHUNK_ROWS = 100;

/** A row of the file, by the number that it is known by. */
const Row = z.object({ number: z.string(), name: z.string(), email: z.string() });
type Row = z.infer<typeof Row>;

const Import = z.object({ file: z.string() });

export const Chunk = z.object({
  file: z.string(),
  /** Of the file as it was when the import began: a chunk of another one is not taken. */
  digest: z.string(),
  /** How many rows come before those of this chunk, and how many it has. */
  from: z.number().int(),
  count: z.number().int().max(CHUNK_ROWS),
  /** What people put in the place of rows that were refused, by number. */
  mended: z.record(z.string(), Row.omit({ number: true })).default({}),
});

const Contact = z.object({ contactId: z.string() });

/** Where files lie, and where the CRM is. */
export interface Systems {
  readonly folder: string;
  readonly crmUrl: string;
}

/** Version 1 of the case types `import` and `contacts`. */
export function defineImport({
  folder,
  crmUrl,
}: Systems): readonly [whole: CaseType<z.input<typeof Import>>, part: CaseType] {
  const files = defineDestination("files", { idempotency: { by: "none" }, owners: { outage: "platform" } });
  const crm = defineDestination("crm", {
    idempotency: { by: "key", window: "30d" },
    credential: () => "crm-import",
    owners: { access: "sales-ops", input: "sales-ops", outage: "platform" },
    transport: "http",
    clientTries: 1,
    inFlight: { start: 32, max: 64 },
  });

  const contacts = defineCase("contacts", { version: 1, owner: "sales-ops", input: Chunk })
    .poll("rows", {
      of: files,
      // Read once, and kept with the case: what is sent is what stands in its history.
      uses: ["file", "digest", "from", "count"],
      timeout: "1d",
      look: async ({ input }) => {
        const { digest, rows } = await readContacts(join(folder, input.file));
        if (digest !== input.digest)
          return cannotTell(`${input.file} is not the file that the import began with`);
        return found({ rows: rows.slice(input.from, input.from + input.count) });
      },
      result: z.object({ rows: z.array(Row) }),
    })
    .each("contacts", {
      items: ({ input, results }) =>
        results.rows.rows.map((row): Row => ({ ...row, ...input.mended[row.number] })),
      key: (row) => row.number,
      atOnce: 20,
      // Not `mended`: to mend one row makes nothing lapse that stands.
      uses: ["file", "digest", "from", "count"],
      to: crm,
      request: ({ item }) => item,
      run: async (context) =>
        Contact.parse(
          await readAnswer(await keyedFetch(context, `${crmUrl}/contacts`, { json: context.request })),
        ),
      result: Contact,
    })
    // A row that people left out has no contact.
    .result(({ results }) => ({
      taken: Object.values(results.contacts).filter((one) => one !== null).length,
    }));

  const whole = defineCase("import", { version: 1, owner: "sales-ops", input: Import })
    .poll("file", {
      of: files,
      every: "1m",
      timeout: "1d",
      look: async ({ input }) => {
        const read = await readContacts(join(folder, input.file)).catch((error: unknown) => {
          if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
          throw error;
        });
        return read === null
          ? notYet(`${input.file} is not there yet`)
          : found({ digest: read.digest, rowCount: read.rows.length });
      },
      result: z.object({ digest: z.string(), rowCount: z.number() }),
    })
    .eachChild("chunks", {
      items: ({ results }) =>
        Array.from({ length: Math.ceil(results.file.rowCount / CHUNK_ROWS) }, (_, index) => ({
          from: index * CHUNK_ROWS,
          count: Math.min(CHUNK_ROWS, results.file.rowCount - index * CHUNK_ROWS),
        })),
      key: ({ from }) => `after-${from}`,
      atOnce: 20,
      of: contacts,
      input: ({ input, item, results }) => ({ file: input.file, digest: results.file.digest, ...item }),
    })
    .step("report", {
      to: crm,
      request: ({ input, results }) => ({
        file: input.file,
        rows: results.file.rowCount,
        taken: Object.values(results.chunks).reduce((sum, { taken }) => sum + taken, 0),
      }),
      run: async (context) => {
        await keyedFetch(context, `${crmUrl}/imports`, { json: context.request });
      },
    });
  return [whole, contacts];
}

/** Reads a file of lines such as `17,Kim,kim@example.com`, the first of which names the columns. */
async function readContacts(
  path: string,
): Promise<{ readonly digest: string; readonly rows: readonly Row[] }> {
  const text = await readFile(path, "utf8");
  const [, ...lines] = text.trimEnd().split("\n");
  const rows = lines.map((line) => {
    const [number, name, email] = line.split(",");
    return Row.parse({ number, name, email });
  });
  return { digest: createHash("sha256").update(text).digest("hex"), rows };
}
