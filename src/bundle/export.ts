import type { Engine } from "../engine/engine.js";
import { embedderOf } from "../engine/namespace-drivers.js";
import { KnowledgeBaseError } from "../errors.js";
import { maskedNames } from "../secrets/config-secrets.js";
import type { Access } from "../storage/records/access.js";
import type { CallOptions, Namespace } from "../types.js";
import { packageVersion } from "../util/package-version.js";
import { BundleFile } from "./bundle-file.js";
import { NamespaceWriter } from "./namespace-writer.js";
import { type BundleEnd, type BundleHeader, MAX_SKIPPED, type SkippedRecord } from "./records.js";

export interface ExportOptions extends CallOptions {
  /** Whether to include the uploaded files of the documents. @default false */
  readonly includeOriginals?: boolean | undefined;
  /**
   * Whether to leave out documents and originals that are damaged. The bundle and the result name them. Otherwise the
   * export fails if any is damaged, and names all of them. @default false
   */
  readonly skipDamaged?: boolean | undefined;
}

/** Something that a bundle doesn't have, because it was damaged when the bundle was made. */
export type SkippedPart = Omit<SkippedRecord, "type">;

/** What a bundle contains. */
export interface BundleContents extends Omit<BundleEnd, "type" | "skipped"> {
  readonly skipped: readonly SkippedPart[];
}

/**
 * Writes the published documents of a namespace, with their chunks and vectors, to one file. The documents are those of
 * one moment.
 * @throws KnowledgeBaseError `not_ready` that names everything that is damaged, unless it is to be skipped
 */
export async function exportNamespace(
  engine: Engine,
  access: Access,
  path: string,
  { includeOriginals = false, skipDamaged = false, signal }: ExportOptions,
): Promise<BundleContents> {
  const embedder = await embedderOf(engine, access, access.namespace);
  const snapshot = await engine.storage.openSnapshot();
  const bundle = await BundleFile.create(path);
  try {
    const { provider, model, dimensions, fingerprint = "" } = embedder;
    const header: BundleHeader = {
      type: "header",
      format: "lorebase-bundle",
      version: 1,
      madeWith: packageVersion(),
      createdAt: new Date(engine.now()).toISOString(),
      namespace: describeNamespace(access.namespace),
      embedder: { provider, model, dimensions, fingerprint },
      hasOriginals: includeOriginals,
    };
    await bundle.write(header);
    const writer = new NamespaceWriter(engine, snapshot, bundle, access.namespace, { includeOriginals, signal });
    const { skipped, ...counts } = await writer.write();
    if (skipped.length > (skipDamaged ? MAX_SKIPPED : 0)) throw damagedError(skipped);
    for (const part of skipped) await bundle.write({ type: "skipped", ...part });
    await bundle.write({ type: "end", ...counts, skipped: skipped.length });
    signal?.throwIfAborted();
    await bundle.finish();
    return { ...counts, skipped };
  } catch (error) {
    await bundle.discard();
    throw error;
  } finally {
    await snapshot.close();
  }
}

function damagedError(parts: readonly SkippedPart[]): KnowledgeBaseError {
  const list = parts.map(
    ({ documentId, documentName, part, reason }) =>
      `${part === "original" ? "the original of " : ""}${documentId ?? "a document"}` +
      `${documentName === null ? "" : ` (${JSON.stringify(documentName)})`}: ${reason}`,
  );
  const message =
    `The namespace is not exported, because ${parts.length === 1 ? "a part" : `${parts.length} parts`} of it can't be: ` +
    `${list.join(" ")} Repair it with lorebase check --repair, or leave out what is damaged with skipDamaged ` +
    `(--skip-damaged)${parts.length > MAX_SKIPPED ? `, which is possible for up to ${MAX_SKIPPED} parts` : ""}.`;
  return new KnowledgeBaseError("not_ready", message);
}

/** Providers' keys never leave: their fields are left out. */
function describeNamespace({ name, slug, embeddingConfig, vectorStoreConfig }: Namespace): BundleHeader["namespace"] {
  const secrets = maskedNames(embeddingConfig);
  const publicConfig = Object.entries(embeddingConfig).filter(([field]) => !secrets.includes(field));
  return {
    name,
    slug,
    embeddingConfig: { ...Object.fromEntries(publicConfig), provider: embeddingConfig.provider },
    approximate: vectorStoreConfig.approximate === true,
  };
}
