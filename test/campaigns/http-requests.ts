import fc from "fast-check";
import type { OpenApi, Operation } from "../http/support/openapi.js";
import type { Sent } from "../http/support/send.js";
import { HOSTILE, near, present } from "./near-schema.js";

/** A request whose text may hold `{{names}}` of what is known only when it is sent. */
export interface Drawn extends Sent {
  readonly operation: string;
  /** The path as the document has it. */
  readonly template: string;
}

/** Words that mean something here. Hosts are such as nobody has, should anything ever fetch from them. */
const WORDS = [
  ...["{{namespaceId}}", "{{slug}}", "{{jobId}}", "{{documentId}}", "{{key}}", "{{pendingKey}}"],
  ...["harbour", "The secret harbour.", "# Title\n\nText.", "note.txt", "a.pdf", "text/plain", "application/pdf"],
  ...["MANAGED_LEXICAL", "MANAGED_SQLITE_VEC", "OPENAI", "PINECONE", "TEXT", "COMPLETED", "en", "/docs", "example.com"],
  ...["https://files.invalid/a.txt", "http://127.0.0.1:1/", "a@example.com", "vendor_a:rerank-v3.5", "fake:overlap"],
  ...["created", "slug-{{unique}}", "external-{{unique}}", "$eq", "$in", "$and", "year"],
];

const PUBLIC: readonly (readonly [string, string])[] = [
  ["health", "/health"],
  ["ready", "/ready"],
  ["openApi", "/v1/openapi.json"],
  ["errors", "/api-reference/errors"],
  ["nothing", "/v1/nothing/{namespaceId}"],
];

const often = (value: string, rest: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: rest });
const hostile = fc.constantFrom(...HOSTILE);

/** Requests to every operation of a document and to what is public beside it. */
export function drawnRequest(document: OpenApi): fc.Arbitrary<Drawn> {
  const described = Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      // Seldom enough that there is mostly something to ask for.
      weight: method === "delete" ? 1 : 8,
      arbitrary: toOperation(method.toUpperCase(), template, operation),
    })),
  );
  const open = PUBLIC.map(([operation, template]) => ({
    weight: 2,
    arbitrary: request(operation, "GET", template, fc.constant(""), body(undefined)),
  }));
  return fc.oneof(...described, ...open);
}

function toOperation(method: string, template: string, operation: Operation): fc.Arbitrary<Drawn> {
  const { operationId, parameters, requestBody } = operation;
  const signed = SIGNED[operationId];
  const query = signed
    ? often(signed, looseQuery)
    : queryOf(parameters.filter((parameter) => parameter.in === "query"));
  const schema = requestBody?.content["application/json"]?.schema as Readonly<Record<string, unknown>> | undefined;
  return request(operationId, method, template, query, body(operationId === "putBlob" ? "hello" : schema));
}

const SIGNED: Readonly<Record<string, string>> = {
  putBlob: "{{uploadSearch}}",
  downloadChunks: "{{chunksSearch}}",
  downloadFile: "{{fileSearch}}",
};

function request(
  operation: string,
  method: string,
  template: string,
  query: fc.Arbitrary<string>,
  content: fc.Arbitrary<string | Uint8Array | undefined>,
): fc.Arbitrary<Drawn> {
  const segments = template
    .split("/")
    .slice(1)
    .map((segment) => {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      return name === undefined ? often(segment, hostile.map(escaped)) : often(`{{${name}}}`, idText.map(escaped));
    });
  const methods = often(method, fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"));
  return fc
    .tuple(methods, fc.tuple(...segments), query, headers(operation === "putBlob"), content)
    .map(([method, parts, search, sent, body]) => ({
      ...{ operation, template, method, headers: sent },
      path: `/${parts.join("/")}${search}`,
      ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body }),
    }));
}

const idText = fc.oneof(
  hostile,
  fc.constantFrom("{{slug}}", "{{jobId}}", "{{documentId}}", "{{namespaceId}}", `ns_${"0".repeat(32)}`),
  fc.string({ maxLength: 20 }),
);

const looseQuery = fc
  .array(fc.tuple(fc.oneof(hostile, fc.constantFrom("cursor", "perPage", "statuses", "x")), hostile), { maxLength: 4 })
  .map((pairs) =>
    pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&")}`,
  );

function queryOf(parameters: readonly { readonly name?: string; readonly schema?: object }[]): fc.Arbitrary<string> {
  const values = parameters.map(({ name, schema }) => {
    const value = near(schema as Readonly<Record<string, unknown>>, WORDS);
    return present(
      value.map((given) => `${name}=${escaped(String(given))}`),
      1,
      2,
    );
  });
  const usual = fc.tuple(...values).map((pairs) => {
    const given = pairs.filter((pair) => pair !== undefined);
    return given.length === 0 ? "" : `?${given.join("&")}`;
  });
  return fc.oneof({ weight: 10, arbitrary: usual }, { weight: 1, arbitrary: looseQuery });
}

/** As a path or query carries it, yet with what need not be escaped left as it is. */
function escaped(text: string): string {
  return text.replace(/\{\{\w+\}\}|[^\x21-\x7e]|[#?&]/gu, (part) =>
    part.startsWith("{{")
      ? part
      : [...Buffer.from(part)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

function headers(bytes: boolean): fc.Arbitrary<Record<string, string>> {
  const value = hostile.map((text) => text.replace(/[^\x20-\x7e]/gu, "?").slice(0, 500));
  const sometimes = (usual: readonly string[]) => present(fc.oneof(fc.constantFrom(...usual), value), 1, 6);
  const keys = fc.oneof(
    value,
    fc.constantFrom("", "Bearer ", "Bearer lb_unknown", "Basic {{apiKey}}", "Bearer {{reader}}"),
  );
  return fc
    .record({
      authorization: often("Bearer {{apiKey}}", keys),
      "content-type": often(bytes ? "text/plain" : "application/json", value),
      "x-tenant-id": sometimes(["T1", "T2", "T1,T2"]),
      prefer: sometimes(["return=minimal"]),
      range: sometimes(["bytes=0-1", "bytes=-1", "bytes=9-", "bytes=0-0,0-0", "bytes=5-2"]),
      "last-event-id": sometimes(["0", "3", "999999999999999"]),
    })
    .map(
      (given) =>
        Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined)) as Record<string, string>,
    );
}

/** @param content A schema to be near to, a text that is meant, or nothing. */
function body(
  content: Readonly<Record<string, unknown>> | string | undefined,
): fc.Arbitrary<string | Uint8Array | undefined> {
  const raw = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.uint8Array({ maxLength: 64 }),
    fc.constantFrom(
      "{",
      "[]",
      "null",
      "[".repeat(500),
      '{"a":1e400}',
      '{"__proto__":{"a":1}}',
      "\ufeff{}",
      '{"a":"\ud800"}',
    ),
  );
  const empty = fc.constant(undefined);
  if (content === undefined) return fc.oneof({ weight: 12, arbitrary: empty }, { weight: 1, arbitrary: raw });
  const meant =
    typeof content === "string" ? fc.constant(content) : near(content, WORDS).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 24, arbitrary: meant },
    { weight: 2, arbitrary: raw },
    { weight: 1, arbitrary: empty },
    // Ends in the middle of a character, perhaps.
    { weight: 1, arbitrary: meant.map((text) => Buffer.from(text ?? "").subarray(0, -1)) },
  );
}
