import { createHash, randomBytes } from "node:crypto";
import { newId } from "../domain/ids.js";
import type { Engine, EngineOpener } from "../engine/engine.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import type { ApiKeyRecord } from "../storage/records/api-keys.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, ListPage } from "../types.js";
import { listSchema } from "../validation/list-schema.js";
import { createApiKeySchema, updateApiKeySchema } from "../validation/organization-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { toNullableTimestamp, toTimestamp } from "./records.js";

/** The permissions of a key. `write` includes `read`, and `admin` includes both. */
export type ApiKeyScope = "read" | "write" | "admin";

export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly scope: ApiKeyScope;
  /** The principals that the key is bound to; `null` if it sees all documents. */
  readonly principals: readonly string[] | null;
  readonly lastFour: string;
  readonly createdAt: string;
  /** To the minute, ISO 8601; `null` before the first use. */
  readonly lastUsedAt: string | null;
}

export interface CreateApiKeyInput {
  readonly name: string;
  readonly scope: ApiKeyScope;
  /**
   * Binds a key with the scope `read` to principals: its requests can only read documents, and only those that
   * `visibleTo` would let the principals see.
   * @default none: the key sees all documents
   */
  readonly principals?: readonly string[] | undefined;
}

/** A use is recorded only if the last recorded use is older than this, because each record flushes to disk. */
const LAST_USE_PRECISION_MS = 60_000;

/** The API keys of one organization. Only digests are stored: a key is shown once, when it is created. */
export class ApiKeys {
  readonly #open: EngineOpener;
  readonly #organizationId: string;

  /** @internal */
  constructor(open: EngineOpener, organizationId: string) {
    this.#open = open;
    this.#organizationId = organizationId;
  }

  /**
   * Creates a key of 32 random bytes. The key itself is only in this result, as `key`.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the organization
   */
  async create(input: CreateApiKeyInput, options: CallOptions = {}): Promise<ApiKey & { readonly key: string }> {
    const { name, scope, principals } = parseInput(createApiKeySchema, input);
    const engine = await this.#open(options.signal);
    const key = `lb_${randomBytes(32).toString("base64url")}`;
    const row = {
      id: newId("key"),
      organizationId: this.#organizationId,
      name,
      scope,
      principals: principals === undefined ? null : JSON.stringify(principals),
      digest: hashKey(key),
      lastFour: key.slice(-4),
      createdAt: engine.now(),
    };
    await engine.storage.apiKeys.create(row);
    return { ...toApiKey({ ...row, lastUsedAt: null }), key };
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(id: string, options: CallOptions = {}): Promise<ApiKey> {
    const engine = await this.#open(options.signal);
    const row = await engine.storage.apiKeys.get({ organizationId: this.#organizationId, id });
    if (!row) throw notFound("API key", id);
    return toApiKey(row);
  }

  async list(options: ListOptions = {}): Promise<ListPage<ApiKey>> {
    const { signal, ...input } = options;
    const request = parseInput(listSchema, input);
    const engine = await this.#open(signal);
    const organizationId = this.#organizationId;
    return fetchPage(
      "api-keys",
      request,
      (range) => engine.storage.apiKeys.list({ organizationId, range }),
      (row) => toApiKey(row),
    );
  }

  /** Iterates over all keys, fetching one page at a time. */
  iterate(options: IterateOptions<ListOptions> = {}): AsyncIterable<ApiKey> {
    return iteratePages((cursor) => this.list({ ...options, cursor }));
  }

  /** Renames a key, and returns it with the new name. @throws KnowledgeBaseError `not_found` */
  async update(id: string, patch: { readonly name: string }, options: CallOptions = {}): Promise<ApiKey> {
    const { name } = parseInput(updateApiKeySchema, patch);
    const current = await this.get(id, options);
    const { storage } = await this.#open();
    await storage.apiKeys.rename({ id, name });
    return { ...current, name };
  }

  /** Revokes a key, and returns it. @throws KnowledgeBaseError `not_found` */
  async delete(id: string, options: CallOptions = {}): Promise<ApiKey> {
    const key = await this.get(id, options);
    const { storage } = await this.#open();
    await storage.apiKeys.revoke({ id });
    return key;
  }
}

/** Returns the record of a key; `null` if it is not valid. The lookup by digest leaks nothing through its timing. */
export async function verifyApiKey(engine: Engine, key: string): Promise<ApiKey | null> {
  const digest = hashKey(key);
  const { apiKeys } = engine.storage;
  const row = await apiKeys.getByDigest({ digest });
  if (!row) return null;
  const now = engine.now();
  if (!engine.options.readOnly && (row.lastUsedAt === null || row.lastUsedAt + LAST_USE_PRECISION_MS <= now)) {
    // Not awaited, so that reads work even if the database can't be written to.
    apiKeys.recordUse({ id: row.id, now }).catch((error: unknown) => engine.events.emit({ type: "error", error }));
  }
  return toApiKey(row);
}

/** Returns the keys that have not been revoked, of any organization, in any order. */
export async function findApiKeys(engine: Engine, ids: readonly string[]): Promise<readonly ApiKey[]> {
  const rows = await engine.storage.apiKeys.find({ ids });
  return rows.map(toApiKey);
}

/** Hashes a key. A fast hash is enough for 256 random bits; only passwords need a slow one. */
function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function toApiKey(row: Omit<ApiKeyRecord, "seq">): ApiKey {
  return {
    id: row.id,
    organizationId: row.organizationId,
    name: row.name,
    scope: row.scope,
    principals: row.principals === null ? null : JSON.parse(row.principals),
    lastFour: row.lastFour,
    createdAt: toTimestamp(row.createdAt),
    lastUsedAt: toNullableTimestamp(row.lastUsedAt),
  };
}
