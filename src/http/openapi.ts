import { z } from "../vendor/zod.js";
import { HTTP_ERRORS } from "./errors.js";
import type { Route } from "./route.js";
import { errorAnswer, paginationAnswer } from "./wire.js";

type Json = Readonly<Record<string, unknown>>;

/** Bytes of whatever type have no schema in OpenAPI 3.1. */
const ANY_FILE: Json = { "*/*": {} };
const TEXT: Json = { schema: { type: "string" } };
const SIGNATURE: readonly Json[] = [
  { name: "expires", in: "query", required: true, schema: { type: "integer" } },
  { name: "signature", in: "query", required: true, schema: { type: "string" } },
];
/** RFC 9110, section 14. */
const RANGE_HEADERS: readonly Json[] = [
  { name: "range", in: "header", description: "One range of bytes", ...TEXT },
  { name: "if-range", in: "header", description: "The etag of which it is to be a range", ...TEXT },
];
const FILE_HEADERS: Json = { "accept-ranges": TEXT, "content-disposition": TEXT, etag: TEXT };
const RANGES: Json = {
  "206": {
    description: "The range that was asked for",
    headers: { ...FILE_HEADERS, "content-range": TEXT },
    content: ANY_FILE,
  },
  "416": { description: "No byte of it is in the range", headers: { "content-range": TEXT } },
};

/** The interface as an OpenAPI 3.1 document without its `servers`, made of the same table and schemas that answer requests. */
export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Lorebase", version: "0.0.1", description: "Documents in, cited and searchable passages out." },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: toSchema(errorAnswer, "output"), Pagination: toSchema(paginationAnswer, "output") },
      parameters: {
        tenant: {
          name: "x-tenant-id",
          in: "header",
          description: "One tenant's partition of the namespace",
          schema: { type: "string", pattern: "^[A-Za-z0-9]{1,64}$" },
        },
      },
    },
  };
}

function operation(route: Route): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.access === "signed" || route.access === "public" ? { security: [] } : { "x-scope": route.access }),
    parameters: parameters(route),
    ...(route.body ? { requestBody: { content: json(toSchema(route.body, "input")) } } : {}),
    ...(route.file === "request" ? { requestBody: { required: true, content: ANY_FILE } } : {}),
    responses: { ...success(route), ...(route.file === "response" ? RANGES : {}), ...failures() },
  };
}

function parameters(route: Route): readonly Json[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => {
    return { name, in: "path", required: true, schema: { type: "string" } };
  });
  const inQuery = route.query ? queryParameters(toSchema(route.query, "input")) : [];
  const signed = route.access === "signed" ? SIGNATURE : [];
  const ranges = route.file === "response" ? RANGE_HEADERS : [];
  return [
    ...inPath,
    ...inQuery,
    ...signed,
    ...ranges,
    ...(route.tenant ? [{ $ref: "#/components/parameters/tenant" }] : []),
  ];
}

function queryParameters(schema: Json): readonly Json[] {
  return Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const isList = property.type === "array";
    return { name, in: "query", schema: property, ...(isList ? { style: "form", explode: false } : {}) };
  });
}

function success(route: Route): Json {
  if (route.file === "response")
    return { "200": { description: route.summary, headers: FILE_HEADERS, content: ANY_FILE } };
  if (route.answer === null) return { "200": { description: route.summary } };
  const data = toSchema(route.answer, "output");
  const schema = {
    type: "object",
    properties: {
      success: { const: true },
      data: route.list ? { type: "array", items: data } : data,
      ...(route.list ? { pagination: { $ref: "#/components/schemas/Pagination" } } : {}),
    },
    required: ["success", "data", ...(route.list ? ["pagination"] : [])],
    additionalProperties: false,
  };
  const answer = { [route.status ?? 200]: { description: route.summary, content: json(schema) } };
  const minimal = { "204": { description: "With Prefer: return=minimal" } };
  return route.method === "DELETE" ? { ...answer, ...minimal } : answer;
}

function failures(): Json {
  const content = json({ $ref: "#/components/schemas/Error" });
  return Object.fromEntries(
    Object.entries(HTTP_ERRORS).map(([status, { code }]) => [status, { description: code, content }]),
  );
}

function json(schema: Json): Json {
  return { "application/json": { schema } };
}

/** Requests take unknown keys, which are left out; answers have none. What is checked by code is said in the message of its refusal. */
function toSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (io === "input" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // A name of zod's own, beside the pattern that says the same.
      if (jsonSchema.format === "starts_with") delete jsonSchema.format;
    },
  });
  return rest;
}
