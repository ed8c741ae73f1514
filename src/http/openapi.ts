import { z } from "../vendor/zod.js";
import { HTTP_ERRORS } from "./errors.js";
import { REPEATED_PARAMETERS } from "./read-query.js";
import { errorResponseSchema, paginationSchema } from "./response-schemas.js";
import type { Route } from "./route.js";

type Json = Readonly<Record<string, unknown>>;

/** The content of a file of any type, which has no schema in OpenAPI 3.1. */
const ANY_FILE: Json = { "*/*": {} };
const TEXT: Json = { schema: { type: "string" } };
const SIGNATURE: readonly Json[] = [
  { name: "expires", in: "query", required: true, schema: { type: "integer" } },
  { name: "signature", in: "query", required: true, schema: { type: "string" } },
];
/** Headers of range requests (RFC 9110, section 14). */
const RANGE_HEADERS: readonly Json[] = [
  { name: "range", in: "header", description: "One range of bytes", ...TEXT },
  { name: "if-range", in: "header", description: "The etag of the file that the range belongs to", ...TEXT },
];
const FILE_HEADERS: Json = { "accept-ranges": TEXT, "content-disposition": TEXT, etag: TEXT };
const RANGES: Json = {
  "206": {
    description: "The requested range",
    headers: { ...FILE_HEADERS, "content-range": TEXT },
    content: ANY_FILE,
  },
  "416": { description: "The range is outside the file", headers: { "content-range": TEXT } },
};

/** Builds an OpenAPI 3.1 document without `servers` from the routes and schemas that handle requests. */
export function buildOpenApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route) };
  }
  return {
    openapi: "3.1.0",
    // The version of the interface, which is not that of the package.
    info: { title: "Lorebase", version: "0.0.1", description: "Documents in, cited and searchable passages out." },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: toSchema(errorResponseSchema, "output"), Pagination: toSchema(paginationSchema, "output") },
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

function describeOperation(route: Route): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.access === "signed" || route.access === "public" ? { security: [] } : { "x-scope": route.access }),
    parameters: describeParameters(route),
    ...(route.body ? { requestBody: { content: jsonContent(toSchema(route.body, "input")) } } : {}),
    ...(route.file === "request" ? { requestBody: { required: true, content: ANY_FILE } } : {}),
    responses: { ...successResponses(route), ...(route.file === "response" ? RANGES : {}), ...errorResponses() },
  };
}

function describeParameters(route: Route): readonly Json[] {
  const pathParameters = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => {
    return { name, in: "path", required: true, schema: { type: "string" } };
  });
  const queryParameters = route.query ? describeQueryParameters(toSchema(route.query, "input")) : [];
  const signed = route.access === "signed" ? SIGNATURE : [];
  const ranges = route.file === "response" ? RANGE_HEADERS : [];
  return [
    ...pathParameters,
    ...queryParameters,
    ...signed,
    ...ranges,
    ...(route.tenant ? [{ $ref: "#/components/parameters/tenant" }] : []),
  ];
}

function describeQueryParameters(schema: Json): readonly Json[] {
  return Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const isList = property.type === "array";
    return {
      name,
      in: "query",
      schema: property,
      ...(isList ? { style: "form", explode: REPEATED_PARAMETERS.includes(name) } : {}),
    };
  });
}

function successResponses(route: Route): Json {
  if (route.file === "response")
    return { "200": { description: route.summary, headers: FILE_HEADERS, content: ANY_FILE } };
  if (route.response === null) return { "200": { description: route.summary } };
  const data = toSchema(route.response, "output");
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
  const full = { [route.status ?? 200]: { description: route.summary, content: jsonContent(schema) } };
  const minimal = { "204": { description: "With Prefer: return=minimal" } };
  return route.method === "DELETE" ? { ...full, ...minimal } : full;
}

function errorResponses(): Json {
  const content = jsonContent({ $ref: "#/components/schemas/Error" });
  return Object.fromEntries(
    Object.entries(HTTP_ERRORS).map(([status, { code }]) => [status, { description: code, content }]),
  );
}

function jsonContent(schema: Json): Json {
  return { "application/json": { schema } };
}

/** Converts a schema. Requests may have unknown keys, which are ignored; responses have none. Omits custom checks. */
function toSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (io === "input" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // Only zod has this format, which repeats the pattern.
      if (jsonSchema.format === "starts_with") delete jsonSchema.format;
    },
  });
  return rest;
}
