import { type ScriptedServer, scriptedServer, type VendorAnswer, type VendorRequest } from "./scripted-server.js";

type MetadataValue = string | number | boolean | readonly string[];

interface StoredRecord {
  readonly id: string;
  readonly values: readonly number[];
  readonly metadata: Readonly<Record<string, MetadataValue>>;
}

export interface FakePineconeOptions {
  readonly apiKey?: string;
  readonly dimension?: number;
  readonly metric?: string;
  /** Reads of a namespace that go by before they see a write. @default 0 */
  readonly lag?: number;
}

export interface FakePinecone extends ScriptedServer {
  /** What every namespace will hold once all writes can be seen: ids in their order. */
  contents(): ReadonlyMap<string, readonly string[]>;
}

type Records = Map<string, StoredRecord>;

/** Writes in their order, the newest of which reads don't see yet. */
interface Namespace {
  readonly seen: Records;
  readonly late: { readonly apply: (records: Records) => void; reads: number }[];
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** One serverless index, as its data plane answers. */
export async function fakePinecone(options: FakePineconeOptions = {}): Promise<FakePinecone> {
  const { apiKey = "pc-key", dimension = 3, metric = "cosine", lag = 0 } = options;
  const namespaces = new Map<string, Namespace>();

  const write = (name: string, apply: (records: Records) => void) => {
    const namespace: Namespace = namespaces.get(name) ?? { seen: new Map(), late: [] };
    namespaces.set(name, namespace);
    if (lag === 0) apply(namespace.seen);
    else namespace.late.push({ apply, reads: lag });
  };
  const read = (name: string): Records => {
    const namespace: Namespace = namespaces.get(name) ?? { seen: new Map(), late: [] };
    while (namespace.late[0]?.reads === 0) namespace.late.shift()!.apply(namespace.seen);
    for (const entry of namespace.late) entry.reads--;
    return namespace.seen;
  };
  const route = (answer: (request: VendorRequest) => unknown) => (request: VendorRequest) => {
    if (request.headers["api-key"] !== apiKey)
      return { status: 401, body: { error: { code: "UNAUTHENTICATED", message: "Invalid API key." }, status: 401 } };
    try {
      return { body: answer(request) };
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  };

  const server = await scriptedServer({
    "POST /vectors/upsert": route(({ body }) => {
      const vectors = body.vectors as StoredRecord[];
      if (vectors.length > 1000) throw new Refusal(400, 3, "Vectors count must be at most 1000");
      const bytes = Buffer.byteLength(JSON.stringify(body));
      if (bytes > 2_097_152)
        throw new Refusal(
          400,
          11,
          `decoded message length too large: found ${bytes} bytes, the limit is: 2097152 bytes`,
        );
      for (const vector of vectors) checkRecord(vector, dimension);
      write(body.namespace, (records) => {
        for (const vector of vectors) records.set(vector.id, vector);
      });
      return { upsertedCount: vectors.length };
    }),
    "POST /query": route(({ body }) => {
      const { vector, topK, filter } = body;
      if (!(topK >= 1 && topK <= 10_000)) throw new Refusal(400, 3, "topK must be between 1 and 10000");
      checkVector("Query", vector, dimension);
      const records = [...read(body.namespace).values()].filter((record) => !filter || meets(filter, record.metadata));
      const matches = records
        .map(({ id, values }) => ({ id, score: cosine(values, vector) }))
        // Equal ones in no order that a client could count on.
        .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
        .slice(0, topK);
      return { matches, namespace: body.namespace, usage: { readUnits: 5 } };
    }),
    "POST /vectors/delete": route(({ body }) => {
      const { namespace, ids, deleteAll } = body;
      if (!namespaces.has(namespace)) throw new Refusal(404, 5, "Namespace not found");
      if (deleteAll) write(namespace, (records) => records.clear());
      else {
        if (!ids || ids.length > 1000) throw new Refusal(400, 3, "ids must have between 1 and 1000 elements");
        write(namespace, (records) => {
          for (const id of ids) records.delete(id);
        });
      }
      return {};
    }),
    "GET /vectors/list": route(({ query }) => {
      const limit = Number(query.get("limit") ?? 100);
      if (!(limit >= 1 && limit <= 100)) throw new Refusal(400, 3, "limit must be between 1 and 100");
      const prefix = query.get("prefix") ?? "";
      const after = query.get("paginationToken") ?? "";
      const name = query.get("namespace") ?? "";
      const ids = [...read(name).keys()].filter((id) => id.startsWith(prefix) && id > after).sort();
      const page = ids.slice(0, limit);
      return {
        vectors: page.map((id) => ({ id })),
        ...(ids.length > limit && { pagination: { next: page.at(-1) } }),
        namespace: name,
        usage: { readUnits: 1 },
      };
    }),
    "POST /describe_index_stats": route(() => ({
      namespaces: Object.fromEntries([...namespaces].map(([name, { seen }]) => [name, { vectorCount: seen.size }])),
      dimension,
      indexFullness: 0,
      totalVectorCount: [...namespaces.values()].reduce((total, { seen }) => total + seen.size, 0),
      metric,
      vectorType: "dense",
    })),
  });
  const contents = () =>
    new Map(
      [...namespaces].map(([name, { seen, late }]) => {
        const records = new Map(seen);
        for (const { apply } of late) apply(records);
        return [name, [...records.keys()].sort()];
      }),
    );
  return Object.assign(server, { contents });
}

function refused({ status, code, message }: Refusal): VendorAnswer {
  return { status, body: { code, message, details: [] } };
}

function checkRecord({ id, values, metadata }: StoredRecord, dimension: number): void {
  if (!/^[\x21-\x7e]{1,512}$/.test(id))
    throw new Refusal(400, 3, `Vector ID ${id} must be ASCII, of 1 to 512 characters`);
  checkVector(`Vector ID '${id}'`, values, dimension);
  for (const [key, value] of Object.entries(metadata)) {
    const allowed =
      ["string", "number", "boolean"].includes(typeof value) ||
      (Array.isArray(value) && value.every((item) => typeof item === "string"));
    if (!allowed || key.startsWith("$"))
      throw new Refusal(
        400,
        3,
        `Metadata value must be a string, number, boolean or list of strings, for field '${key}'`,
      );
  }
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > 40_960)
    throw new Refusal(400, 3, `metadata size is ${bytes} bytes, which exceeds the limit of 40960 bytes per vector`);
}

function checkVector(what: string, values: readonly number[], dimension: number): void {
  if (values.length !== dimension)
    throw new Refusal(
      400,
      3,
      `${what} dimension ${values.length} does not match the dimension of the index ${dimension}`,
    );
  if (values.every((value) => value === 0))
    throw new Refusal(400, 3, `Dense vectors must contain at least one non-zero value. ${what} contains only zeros`);
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  return Math.fround(dot / (Math.hypot(...a) * Math.hypot(...b)));
}

/** Pinecone's filters: what a record has no field for meets nothing but `$exists: false`; a list meets what one of its elements does. */
function meets(filter: Readonly<Record<string, unknown>>, metadata: StoredRecord["metadata"]): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    if (key === "$and" || key === "$or") {
      if (!Array.isArray(condition) || condition.length === 0) throw new Refusal(400, 3, `${key} takes a list`);
      const parts = condition.map((part) => meets(part, metadata));
      return key === "$and" ? parts.every(Boolean) : parts.some(Boolean);
    }
    if (key.startsWith("$")) throw new Refusal(400, 3, `${key} is not a valid operator`);
    const operators = typeof condition === "object" ? (condition as object) : { $eq: condition };
    const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    return Object.entries(operators).every(([operator, operand]) => holds(operator, operand, value));
  });
}

function holds(operator: string, operand: unknown, value: MetadataValue | undefined): boolean {
  if (operator === "$exists") return (value !== undefined) === operand;
  const compared = operator === "$in" || operator === "$nin" ? operand : [operand];
  const numeric = ["$gt", "$gte", "$lt", "$lte"].includes(operator);
  if (!Array.isArray(compared)) throw new Refusal(400, 3, `${operator} takes a list`);
  if (
    compared.some(
      (item) => !["string", "number", "boolean"].includes(typeof item) || (numeric && typeof item !== "number"),
    )
  )
    throw new Refusal(400, 3, `the ${operator} operator must be followed by a ${numeric ? "number" : "scalar"}`);
  if (value === undefined) return false;
  const has = Array.isArray(value) ? compared.some((item) => value.includes(item)) : compared.includes(value);
  switch (operator) {
    case "$eq":
    case "$in":
      return has;
    case "$ne":
    case "$nin":
      return !has;
  }
  if (!numeric) throw new Refusal(400, 3, `${operator} is not a valid operator`);
  if (typeof value !== "number") return false;
  const bound = operand as number;
  if (operator === "$gt") return value > bound;
  if (operator === "$gte") return value >= bound;
  return operator === "$lt" ? value < bound : value <= bound;
}
