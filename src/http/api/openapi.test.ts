import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromHere, testApp } from "../app.fixture.ts";
import { memoryStore } from "../../store/memory/store.ts";
import { openApiDocument } from "./openapi.ts";
import { API_BASE, API_ROUTES, OPENAPI_PATH, type RouteHead } from "./routes.ts";

const operation = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), schema: z.looseObject({}) }))
    .default([]),
  requestBody: z.looseObject({}).optional(),
});
const description = z.looseObject({
  openapi: z.literal("3.1.0"),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
});

describe("the description of the API", () => {
  const told = description.parse(openApiDocument());

  test("is served to everybody, signed in or not, and is the same each time", async () => {
    const app = testApp(memoryStore(), { signIn: () => Promise.resolve(null) });
    const answer = await app.request(OPENAPI_PATH, { headers: { host: "localhost" } }, fromHere);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(await answer.json()).toEqual(openApiDocument());
  });

  test("has each route once, under the name of its operation, and no other", () => {
    const found = Object.entries(told.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    );
    const wanted = Object.entries<RouteHead>(API_ROUTES).map(
      ([id, { method, path }]) => `${id} ${method.toLowerCase()} ${API_BASE}${path}`,
    );
    expect(found.toSorted()).toEqual(wanted.toSorted());
  });

  test("names every parameter of a path, and If-Match where an act binds to a plan", () => {
    for (const [id, { method, path, plan }] of Object.entries<RouteHead>(API_ROUTES)) {
      const { parameters, requestBody } = operation.parse(
        told.paths[`${API_BASE}${path}`]?.[method.toLowerCase()],
      );
      const inPath = parameters.filter((one) => one.in === "path").map(({ name }) => `{${name}}`);
      expect([id, ...inPath]).toEqual([id, ...(path.match(/\{\w+\}/g) ?? [])]);
      expect([id, parameters.some(({ name }) => name === "If-Match")]).toEqual([id, plan === "needed"]);
      expect([id, requestBody === undefined]).toEqual([id, method === "GET"]);
    }
  });

  test("refers to nothing that it does not hold, and holds nothing that is not referred to", () => {
    const refs = new Set(JSON.stringify(told).match(/"#\/components\/schemas\/[^"]+"/g) ?? []);
    const names = Object.keys(told.components.schemas).map((name) => `"#/components/schemas/${name}"`);
    expect(names.toSorted()).toEqual([...refs].toSorted());
  });

  test("closes requests, so that a typo is seen, and leaves replies open for what comes later", () => {
    for (const [name, schema] of Object.entries(told.components.schemas)) {
      const isClosed = JSON.stringify(schema).includes(`"additionalProperties":false`);
      expect([name, isClosed]).toEqual([name, name.endsWith("Request")]);
    }
  });
});
