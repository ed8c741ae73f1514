import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "#dist/http/routes/index.js";
import { fetchOpenApi, type OpenApi, type Operation, openApiValidator } from "./support/openapi.js";
import { startServer, type TestServer } from "./support/test-server.js";

let server: TestServer;
let document: OpenApi;
beforeAll(async () => {
  server = await startServer();
  document = await fetchOpenApi(server.url);
});
afterAll(() => server.close());

interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function operations(): readonly Place[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** Yields every object of a JSON value with its JSON pointer. */
function* objectsIn(value: unknown, at = "#"): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value)) {
    yield* objectsIn(inner, `${at}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
  }
}

/** Resolves a local reference. */
function resolve(reference: string): unknown {
  const steps = reference.slice(2).split("/").map(decodeURIComponent);
  return steps.reduce<unknown>((value, step) => {
    return (value as Record<string, unknown> | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }, document);
}

it("describes every route, and nothing else", () => {
  const described = operations().map(({ method, path, operation }) => `${operation.operationId}: ${method} ${path}`);
  const routes = ROUTES.map(
    ({ operationId, method, path }) => `${operationId}: ${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`,
  );
  expect(described.sort()).toEqual(routes.sort());
});

it("is OpenAPI 3.1 with the version of the interface and the requested address", () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d$/),
    info: { title: "Lorebase", version: "0.0.1" },
    servers: [{ url: server.url }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  });
  const known = ["openapi", "info", "servers", "security", "paths", "components"];
  expect(Object.keys(document).filter((key) => !known.includes(key))).toEqual([]);
});

it("gives every operation a unique name", () => {
  const names = operations().map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z]+$/);
});

it("lists the nine errors and a success for every operation", () => {
  const failures = ["400", "401", "403", "404", "409", "410", "422", "429", "500"];
  for (const { operation } of operations()) {
    const statuses = Object.keys(operation.responses);
    expect(statuses, operation.operationId).toEqual(expect.arrayContaining(failures));
    expect(statuses.some((status) => status.startsWith("2"))).toBe(true);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(response, `${operation.operationId} ${status}`).toHaveProperty("description");
      if (failures.includes(status))
        expect(response.content?.["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/Error" });
    }
  }
});

it("declares each path parameter once, as required", () => {
  for (const { path, operation } of operations()) {
    const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(inPath.map(({ name }) => name)).toEqual(named);
    expect(inPath.every((parameter) => (parameter as { required?: boolean }).required)).toBe(true);
    const places = operation.parameters.map(({ name, in: place, $ref }) => $ref ?? `${place} ${name}`);
    expect(new Set(places).size).toBe(places.length);
  }
});

it("has the tenant header and the body of the routes that have them", () => {
  for (const { operation } of operations()) {
    const route = ROUTES.find(({ operationId }) => operationId === operation.operationId)!;
    const tenant = operation.parameters.some(({ $ref }) => $ref === "#/components/parameters/tenant");
    expect([route.operationId, tenant]).toEqual([route.operationId, route.tenant === true]);
    expect(operation.requestBody !== undefined).toBe(route.body !== undefined || route.file === "request");
    const signed = operation.parameters.some(({ name }) => name === "signature");
    expect([route.operationId, signed]).toEqual([route.operationId, route.access === "signed"]);
    expect(Object.keys(operation.responses).includes("206")).toBe(route.file === "response");
  }
});

it("has the list parameters with their bounds and defaults", () => {
  const { parameters } = document.paths["/v1/namespace/{namespaceId}/documents"]!.get!;
  const found = Object.fromEntries(parameters.map(({ name, ...rest }) => [name, rest]));
  expect(found).toMatchObject({
    statuses: { in: "query", style: "form", explode: false, schema: { type: "array" } },
    orderBy: { schema: { const: "createdAt", default: "createdAt" } },
    order: { schema: { enum: ["asc", "desc"], default: "desc" } },
    cursor: { schema: { type: "string" } },
    cursorDirection: { schema: { enum: ["forward", "backward"], default: "forward" } },
    perPage: { schema: { type: "integer", minimum: 1, maximum: 100, default: 30 } },
    ingestJobId: { schema: { type: "string" } },
  });
});

it("has only references that resolve", () => {
  const references = [...objectsIn(document)].filter(([, object]) => typeof object.$ref === "string");
  expect(references.length).toBeGreaterThan(100);
  for (const [at, { $ref }] of references) expect(resolve($ref as string), `${at}: ${$ref}`).toBeDefined();
});

describe("its schemas", () => {
  const schemas = () =>
    [...objectsIn(document)].filter(([at]) => /\/schema$|^#\/components\/schemas\/\w+$/.test(at)).map(([at]) => at);

  it("are valid JSON Schema 2020-12 and use only its formats", () => {
    const ajv = openApiValidator(document);
    const unknown: string[] = [];
    ajv.opts.logger = false;
    expect(schemas().length).toBeGreaterThan(100);
    for (const at of schemas()) expect(() => ajv.compile({ $ref: `openapi${at}` }), at).not.toThrow();
    for (const [at, object] of objectsIn(document)) {
      const { format } = object;
      if (typeof format === "string" && !(format in ajv.formats)) unknown.push(`${at}: ${format}`);
    }
    expect(unknown).toEqual([]);
  });

  it("accept unknown keys in requests and refuse them in responses", () => {
    const ajv = openApiValidator(document);
    const at = (status: string) =>
      `openapi#/paths/~1v1~1namespace~1%7BnamespaceId%7D~1ingest-jobs~1%7BjobId%7D~1re-ingest/post/responses/${status}/content/application~1json/schema`;
    const answer = { success: true, data: { id: "job_1" } };
    expect(ajv.validate({ $ref: at("200") }, answer)).toBe(true);
    expect(ajv.validate({ $ref: at("200") }, { ...answer, extra: 1 })).toBe(false);
    expect(ajv.validate({ $ref: at("200") }, { ...answer, data: { id: "job_1", extra: 1 } })).toBe(false);
    const error = { code: "not_found", message: "None.", doc_url: "https://docs.example/errors#not-found" };
    expect(ajv.validate({ $ref: at("404") }, { success: false, error })).toBe(true);
    expect(ajv.validate({ $ref: at("404") }, { success: false, error: { ...error, doc_url: "none" } })).toBe(false);
    const body = "openapi#/paths/~1v1~1namespace/post/requestBody/content/application~1json/schema";
    expect(ajv.validate({ $ref: body }, { name: "A", slug: "aa", extra: { any: 1 } })).toBe(true);
    expect(ajv.validate({ $ref: body }, { name: "", slug: "aa" })).toBe(false);
    expect(ajv.validate({ $ref: body }, { name: "A" })).toBe(false);
  });
});
