import { randomBytes } from "node:crypto";
import { newId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { embedderOf } from "../engine/namespace-drivers.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import { indexedVectors } from "../providers/vectors.js";
import { prepareNamespace } from "../resources/prepare-namespace.js";
import type { CallOptions, Namespace } from "../types.js";
import { createNamespaceSchema } from "../validation/namespace-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { BundleContents, SkippedPart } from "./export.js";
import { ImportWriter } from "./import-writer.js";
import { readBundle } from "./read-bundle.js";
import type { BundleHeader, BundleRecord, SkippedRecord } from "./records.js";

/** How long an import may pause before its content is removed, and how often it is renewed. */
const LEASE_MS = 120_000;
const RENEW_MS = 30_000;

export interface ImportOptions extends CallOptions {
  /** The slug of the new namespace. @default that of the exported namespace */
  readonly slug?: string | undefined;
  /** The name of the new namespace. @default that of the exported namespace */
  readonly name?: string | undefined;
  /**
   * The embedder of the new namespace. Needed if the exported namespace used a service, since bundles have no keys.
   * @default that of the exported namespace
   */
  readonly embeddingConfig?: { readonly provider: string; readonly [key: string]: unknown } | undefined;
  /** Whether to embed passages whose vectors are missing or were computed by another embedder. @default false */
  readonly reembed?: boolean | undefined;
}

export interface ImportedNamespace extends BundleContents {
  readonly namespace: Namespace;
  /** The number of chunks that were embedded again. */
  readonly reembedded: number;
}

/**
 * Imports a bundle as a new namespace. The whole bundle is checked before anything is written. Its content is written
 * to a hidden namespace, which appears in one step; the worker removes it if the import fails or its process is killed.
 */
export async function importNamespace(
  engine: Engine,
  organizationId: string,
  path: string,
  { slug, name, embeddingConfig, reembed = false, signal }: ImportOptions,
): Promise<ImportedNamespace> {
  const { header, contents, missingVectors } = await surveyBundle(path, { signal });
  const input = parseInput(createNamespaceSchema, {
    name: name ?? header.namespace.name,
    slug: slug ?? header.namespace.slug,
    embeddingConfig: embeddingConfig ?? chooseEmbedding(engine, header),
    vectorStoreConfig: {
      provider: indexedVectors.provider,
      ...(header.namespace.approximate && { approximate: true }),
    },
  });
  const prepared = await prepareNamespace(engine, organizationId, input, { unknownKeys: "refuse", signal });
  const { storage, now } = engine;
  const { id: namespaceId } = prepared.namespace;
  await storage.imports.begin({ ...prepared, delayMs: LEASE_MS });
  const lost = new AbortController();
  const renewal = setInterval(() => {
    storage.imports.renew({ namespaceId, now: now(), delayMs: LEASE_MS }).catch((error: unknown) => lost.abort(error));
  }, RENEW_MS);
  const call = { signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal };
  try {
    const owner = { organizationId, namespaceId };
    const embedder = await embedderOf(engine, owner, { ...prepared.namespace, vectorSet: 0 });
    const toEmbed = isSameEmbedder(header.embedder, embedder) ? missingVectors : contents.chunks;
    if (toEmbed > 0 && !reembed) throw mustEmbed(header, embedder, toEmbed);
    const writer = new ImportWriter(engine, {
      namespaceId,
      embedder: toEmbed > 0 ? embedder : null,
      keepsVectors: toEmbed < contents.chunks || contents.chunks === 0,
      leaseMs: LEASE_MS,
      ids: { job: () => newId("job"), document: () => newId("doc"), file: () => newKey(namespaceId) },
      signal: call.signal,
    });
    for await (const record of readBundle(path, call)) await writer.add(record);
    await writer.finish();
    const namespace = await storage.imports.publish({ namespaceId, organizationId, now: now(), delayMs: LEASE_MS });
    return { namespace, ...contents, reembedded: toEmbed };
  } catch (error) {
    const report = (failure: unknown) => engine.events.emit({ type: "error", error: failure });
    await storage.imports.abandon({ namespaceId, now: now() }).catch(report);
    engine.events.emitWorkAdded();
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

interface BundleSurvey {
  readonly header: BundleHeader;
  readonly contents: BundleContents;
  /** The number of chunks without a vector. */
  readonly missingVectors: number;
}

/** Checks all of a bundle, and returns what it contains. */
async function surveyBundle(path: string, options: CallOptions): Promise<BundleSurvey> {
  let header: BundleHeader | null = null;
  let last: BundleRecord | null = null;
  let missingVectors = 0;
  const skipped: SkippedPart[] = [];
  for await (const record of readBundle(path, options)) {
    if (record.type === "header") header = record;
    if (record.type === "chunk" && record.vector === null) missingVectors++;
    if (record.type === "skipped") skipped.push(withoutType(record));
    last = record;
  }
  const { type, ...counts } = last as Extract<BundleRecord, { type: "end" }>;
  return { header: header!, contents: { ...counts, skipped }, missingVectors };
}

function withoutType({ type, ...part }: SkippedRecord): SkippedPart {
  return part;
}

/**
 * Returns the embedder that the bundle names, unless it is a service: a bundle has no keys, and must not choose where
 * texts and queries are sent.
 */
function chooseEmbedding({ drivers }: Engine, { namespace: { embeddingConfig } }: BundleHeader) {
  const { provider } = embeddingConfig;
  if (drivers.embeddingSecrets(embeddingConfig).length === 0) return embeddingConfig;
  const message = `The bundle was embedded by ${provider}, whose keys a bundle never has: give embeddingConfig.`;
  throw new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "embeddingConfig", message }] });
}

function isSameEmbedder(used: BundleHeader["embedder"], { provider, model, dimensions, fingerprint = "" }: Embedder) {
  return (
    used.provider === provider &&
    used.model === model &&
    used.dimensions === dimensions &&
    used.fingerprint === fingerprint
  );
}

function mustEmbed({ embedder, madeWith }: BundleHeader, target: Embedder, count: number): KnowledgeBaseError {
  const message =
    `${count} passages have to be embedded again: the bundle, made with lorebase ${madeWith}, has ` +
    `vectors of ${describe(embedder)}, and the namespace would use ${describe(target)}. Pass reembed: true to do so.`;
  return new KnowledgeBaseError("conflict", message);
}

function describe({ provider, model, dimensions }: Pick<Embedder, "provider" | "model" | "dimensions">): string {
  return `${provider} ${model} (${dimensions} dimensions)`;
}

function newKey(namespaceId: string): string {
  return `${namespaceId}/${randomBytes(16).toString("hex")}`;
}
