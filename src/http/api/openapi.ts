/** The description of the API (OpenAPI 3.1), made of the very routes and schemas that the server works with. */

import { z } from "zod";
import { CONTRACTS } from "./contracts.ts";
import { API_VERSION } from "./route-head.ts";
import { API_BASE, API_ROUTES, type RouteHead } from "./routes.ts";
import type { RouteId } from "./types.ts";
import { problem } from "./schemas/reply-schemas.ts";
import { NAMED_SCHEMAS } from "./schemas/schema.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Makes the whole description; the same each time. */
export function openApiDocument(): JsonSchema {
  const names = schemaNames();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [id, head] of Object.entries(API_ROUTES)) {
    const path = (paths[`${API_BASE}${head.path}`] ??= {});
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are the operations
    path[head.method.toLowerCase()] = operationOf(id as RouteId, head, names);
  }
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    info: {
      title: "Foothold",
      version: API_VERSION,
      description:
        "Cases, what stands of them, and the moves that people may make. Times are milliseconds since 1970. " +
        "A reply may gain fields; a request with an unknown field is refused.",
    },
    security: [{ session: [] }, { token: [] }],
    paths,
    components: {
      schemas: componentSchemas(names),
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "__Host-foothold" },
        token: { type: "http", scheme: "bearer" },
      },
      responses: {
        Problem: {
          description: "Why it was not done; `code` is stable",
          content: { "application/problem+json": { schema: refTo(problem, names) } },
        },
      },
    },
  };
}

function operationOf(id: RouteId, head: RouteHead, names: SchemaNames): JsonSchema {
  const contract = CONTRACTS[id];
  const parameters = [
    ...parametersOf(contract.params, "path"),
    ...parametersOf(contract.query, "query"),
    ...(head.plan === "needed" ? [planParameter] : []),
  ];
  return {
    operationId: id,
    summary: head.summary,
    tags: [head.tag],
    ...(head.verb === null ? {} : { "x-foothold-verb": head.verb }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(contract.body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: refTo(contract.body, names) } },
          },
        }),
    responses: {
      "2XX": {
        description: "Done, or asked for: the reply says which",
        content: { "application/json": { schema: refTo(contract.reply, names) } },
      },
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

const planParameter: JsonSchema = {
  name: "If-Match",
  in: "header",
  required: true,
  description:
    "The plan version that the person saw, as the ETag of the case tells it; * = whatever it is now",
  schema: { type: "string" },
};

const objectSchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

function parametersOf(schema: z.ZodType, place: "path" | "query"): readonly JsonSchema[] {
  const { properties, required } = objectSchema.parse(z.toJSONSchema(schema, { io: "input" }));
  return Object.entries(properties).map(([name, told]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: told,
    ...(told["type"] === "array" ? { style: "form", explode: true } : {}),
  }));
}

type SchemaNames = ReadonlyMap<z.ZodType, string>;

/** A body or reply without a name of its own has that of its route. */
function schemaNames(): SchemaNames {
  const names = new Map([...NAMED_SCHEMAS].map(([name, schema]) => [schema, name]));
  for (const [id, { body, reply }] of Object.entries(CONTRACTS)) {
    const own = id.charAt(0).toUpperCase() + id.slice(1);
    if (body !== null && !names.has(body)) names.set(body, `${own}Request`);
    if (!names.has(reply)) names.set(reply, `${own}Reply`);
  }
  return names;
}

function refTo(schema: z.ZodType, names: SchemaNames): JsonSchema {
  return { $ref: uriOf(names.get(schema) ?? "Json") };
}

function uriOf(name: string): string {
  return `#/components/schemas/${name}`;
}

function componentSchemas(names: SchemaNames): Readonly<Record<string, unknown>> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: uriOf });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, tidied(schema, name.endsWith("Request"))]),
  );
}

/** What a reply holds beside what is known is for later versions of it; what a request holds beside is refused. */
function tidied(value: unknown, isClosed: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => tidied(one, isClosed));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, told]) => key !== "$schema" && key !== "$id" && (isClosed || !isClosing(key, told)))
      .map(([key, told]) => [key, tidied(told, isClosed)]),
  );
}

function isClosing(key: string, told: unknown): boolean {
  return key === "additionalProperties" && told === false;
}
