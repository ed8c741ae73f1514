import { type ScriptedServer, scriptedServer, type VendorRequest } from "./scripted-server.js";

type Value = string | number | boolean | readonly string[] | readonly number[] | null;

interface Row {
  readonly id: string;
  readonly vector: readonly number[];
  readonly [attribute: string]: Value;
}

interface Namespace {
  readonly rows: Map<string, Row>;
  readonly schema: Map<string, string>;
  readonly dimensions: number;
}

export interface FakeTurbopufferOptions {
  readonly apiKey?: string;
  /** Whether a filter on an attribute that no row has ever had is an error, as it may be, or meets nothing. @default "error" */
  readonly unknownAttributes?: "error" | "nothing";
}

export interface FakeTurbopuffer extends ScriptedServer {
  /** What every namespace holds: ids in their order. */
  contents(): ReadonlyMap<string, readonly string[]>;
  /** Calls of the region's host go to this server, all others nowhere. */
  readonly fetch: typeof globalThis.fetch;
}

/** The region that {@link FakeTurbopuffer.fetch} stands for. */
export const FAKE_REGION = "aws-us-east-1";

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A region, as its second API answers: what is written is found at once. */
export async function fakeTurbopuffer(options: FakeTurbopufferOptions = {}): Promise<FakeTurbopuffer> {
  const { apiKey = "tpuf-key", unknownAttributes = "error" } = options;
  const namespaces = new Map<string, Namespace>();

  const existing = (name: string): Namespace => {
    const namespace = namespaces.get(name);
    if (!namespace) throw new Refusal(404, `🤷 namespace '${name}' was not found`);
    return namespace;
  };
  const route = (answer: (request: VendorRequest, name: string) => unknown) => (request: VendorRequest) => {
    try {
      if (request.headers.authorization !== `Bearer ${apiKey}`) throw new Refusal(401, "invalid API key");
      const name = request.params.name ?? "any";
      if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) throw new Refusal(400, `invalid namespace name '${name}'`);
      return { body: answer(request, name) };
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: { status: "error", error: error.message } };
      throw error;
    }
  };
  const upsert = (name: string, rows: readonly Row[], body: VendorRequest["body"]): void => {
    if (body.distance_metric !== "cosine_distance") throw new Refusal(400, "distance_metric is required");
    const namespace = namespaces.get(name) ?? {
      rows: new Map(),
      schema: new Map(),
      dimensions: rows[0]!.vector.length,
    };
    for (const [attribute, type] of Object.entries(body.schema ?? {}))
      declare(namespace.schema, attribute, String(type));
    for (const row of rows) checkRow(namespace, row);
    namespaces.set(name, namespace);
    for (const row of rows) namespace.rows.set(row.id, row);
  };
  const selected = ({ rows, schema }: Namespace, filter: unknown): Row[] =>
    [...rows.values()].filter((row) => meets(filter as never, row, schema, unknownAttributes));

  const server = await scriptedServer({
    "POST /v2/namespaces/:name": route(({ body }, name) => {
      if (body.upsert_rows) {
        upsert(name, body.upsert_rows, body);
        return written({ rows_upserted: body.upsert_rows.length });
      }
      const namespace = existing(name);
      const doomed = selected(namespace, body.delete_by_filter);
      for (const { id } of doomed) namespace.rows.delete(id);
      return { ...written({ rows_deleted: doomed.length }), rows_remaining: false };
    }),
    "POST /v2/namespaces/:name/query": route(({ body }, name) => {
      const namespace = existing(name);
      const [attribute, how, vector] = body.rank_by;
      if (attribute !== "vector" || how !== "ANN" || vector.length !== namespace.dimensions)
        throw new Refusal(400, `invalid vector for attribute 'vector', expected ${namespace.dimensions} dimensions`);
      if (!(body.top_k >= 1 && body.top_k <= 10_000)) throw new Refusal(400, "top_k must be between 1 and 10000");
      const rows = (body.filters ? selected(namespace, body.filters) : [...namespace.rows.values()])
        .map((row) => ({ id: row.id, $dist: Math.fround(1 - cosine(row.vector, vector)) }))
        .sort((a, b) => a.$dist - b.$dist || (a.id < b.id ? 1 : -1))
        .slice(0, body.top_k);
      return { rows, billing: { billable_logical_bytes_queried: 256 }, performance: { server_total_ms: 1 } };
    }),
    "DELETE /v2/namespaces/:name": route((_, name) => {
      existing(name);
      namespaces.delete(name);
      return { status: "OK" };
    }),
    "GET /v2/namespaces/:name/metadata": route((_, name) => ({ schema: typesOf(existing(name)) })),
    "GET /v1/namespaces/:name/schema": route((_, name) => typesOf(existing(name))),
    "GET /v1/namespaces": route(() => ({ namespaces: [...namespaces.keys()].map((id) => ({ id })) })),
  });
  return Object.assign(server, {
    contents: () => new Map([...namespaces].map(([name, { rows }]) => [name, [...rows.keys()].sort()])),
    fetch: (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
      const url = new URL(String(input));
      if (url.origin !== `https://${FAKE_REGION}.turbopuffer.com`) throw new Error(`no call may go to ${url.origin}`);
      return fetch(`${server.origin}${url.pathname}${url.search}`, init);
    },
  });
}

function written(counts: { rows_upserted?: number; rows_deleted?: number }): object {
  const { rows_upserted = 0, rows_deleted = 0 } = counts;
  const rows_affected = rows_upserted + rows_deleted;
  return { status: "OK", message: "", rows_affected, rows_upserted, rows_deleted, billing: {}, performance: {} };
}

function typesOf({ schema }: Namespace): Record<string, { readonly type: string }> {
  return Object.fromEntries([...schema].map(([name, type]) => [name, { type }]));
}

function declare(schema: Map<string, string>, attribute: string, type: string): void {
  const known = schema.get(attribute) ?? type;
  if (known !== type) throw new Refusal(400, `attribute '${attribute}' is of type ${known}, not ${type}`);
  if (attribute.startsWith("$") || attribute.length > 128)
    throw new Refusal(400, `invalid attribute name '${attribute}'`);
  schema.set(attribute, type);
}

function checkRow({ schema, dimensions }: Namespace, { id, vector, ...attributes }: Row): void {
  if (Buffer.byteLength(id) > 64) throw new Refusal(400, `id '${id}' is longer than 64 bytes`);
  if (vector.length !== dimensions)
    throw new Refusal(400, `vector must have ${dimensions} dimensions, not ${vector.length}`);
  if (vector.every((value) => value === 0)) throw new Refusal(400, "cosine_distance is not defined for a zero vector");
  for (const [attribute, value] of Object.entries(attributes)) {
    const type = typeOf(value);
    if (!schema.has(attribute)) declare(schema, attribute, type);
    const known = schema.get(attribute);
    const fits = value === null || type === known || (type === "int" && known === "float");
    if (!fits) throw new Refusal(400, `attribute '${attribute}' is of type ${known}, not ${type}`);
    const texts = Array.isArray(value) ? value : [value];
    if (texts.some((text) => typeof text === "string" && Buffer.byteLength(text) > 4096))
      throw new Refusal(400, `value of filterable attribute '${attribute}' is larger than 4096 bytes`);
  }
}

function typeOf(value: Value): string {
  if (Array.isArray(value)) return "[]string";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return typeof value === "boolean" ? "bool" : "string";
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  return dot / (Math.hypot(...a) * Math.hypot(...b));
}

type Filter =
  | readonly ["And" | "Or", readonly Filter[]]
  | readonly ["Not", Filter]
  | readonly [string, string, unknown];

function meets(filter: Filter, row: Row, schema: ReadonlyMap<string, string>, unknown: "error" | "nothing"): boolean {
  const [first, second] = filter;
  if (first === "And" || first === "Or") {
    const parts = (second as readonly Filter[]).map((part) => meets(part, row, schema, unknown));
    return first === "And" ? parts.every(Boolean) : parts.some(Boolean);
  }
  if (first === "Not") return !meets(second as Filter, row, schema, unknown);
  const type = schema.get(first);
  if (type === undefined && unknown === "error")
    throw new Refusal(400, `filter error in key '${first}': attribute not found`);
  const operand = filter[2];
  const value = row[first] ?? null;
  switch (second) {
    case "Eq":
      return value === operand;
    case "Contains":
    case "ContainsAny": {
      if (type !== "[]string") throw new Refusal(400, `${second} takes an array attribute`);
      const wanted = second === "Contains" ? [operand] : (operand as readonly unknown[]);
      return Array.isArray(value) && wanted.some((item) => value.includes(item));
    }
    case "Gt":
    case "Gte":
    case "Lt":
    case "Lte": {
      if (type !== undefined && (typeof operand === "string") !== (type === "string"))
        throw new Refusal(400, `${second} of '${first}' takes a ${type}`);
      if (value === null) return false;
      const order =
        typeof operand === "string"
          ? Buffer.compare(Buffer.from(String(value)), Buffer.from(operand))
          : Math.sign(Number(value) - Number(operand));
      return { Gt: order > 0, Gte: order >= 0, Lt: order < 0, Lte: order <= 0 }[second];
    }
    default:
      throw new Refusal(400, `unknown filter operator '${String(second)}'`);
  }
}
