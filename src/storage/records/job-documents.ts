import { createHash } from "node:crypto";
import { basename } from "node:path";
import { newId } from "../../domain/ids.js";
import { mergeConfig } from "../../domain/merge-config.js";
import { KnowledgeBaseError } from "../../errors.js";
import type {
  BatchItem,
  BatchPayload,
  DocumentSource,
  FilePayload,
  IngestConfig,
  IngestPayload,
  ManagedFilePayload,
  TextPayload,
} from "../../types.js";
import { textsHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

type Item = TextPayload | FilePayload | ManagedFilePayload;

/** A document to create. */
export interface NewDocument {
  readonly id: string;
  /** The position of the document in its job, from 0. */
  readonly item: number;
  readonly name: string | null;
  /** Whether the caller has set the name. Otherwise a name found in the source replaces it. */
  readonly nameGiven: boolean;
  /** As JSON. */
  readonly source: string;
  /** The key of a managed file; `null` for another source. */
  readonly sourceKey: string | null;
  /** The key of a discovered document, unique in its job; `null` if the payload lists it. */
  readonly discoveryKey: string | null;
  /** As JSON. */
  readonly config: string;
  /** In bytes; 0 if unknown. */
  readonly fileSize: number;
  readonly mimeType: string;
  /** SHA-256 of the source's bytes, in hex; `null` if they are not available yet. */
  readonly contentHash: string | null;
  /** The absolute path of the local file that the content was read from; `null` if there is none. */
  readonly sourcePath: string | null;
}

/** Creates the documents that a job's payload lists, in order; returns `null` if they must be discovered. */
function newDocuments(payload: IngestPayload, config: IngestConfig): readonly NewDocument[] | null {
  if (payload.type === "CRAWL" || payload.type === "YOUTUBE") return null;
  return listedDocuments(payload).map(
    (
      { source, name, nameGiven = true, config: itemConfig, fileSize, mimeType, sourceKey = null, contentHash = null },
      item,
    ) => ({
      id: newId("doc"),
      item,
      name,
      nameGiven,
      source: JSON.stringify(source),
      sourceKey,
      discoveryKey: null,
      config: JSON.stringify(mergeConfig(config, itemConfig)),
      fileSize: fileSize ?? 0,
      mimeType: mimeType ?? "application/octet-stream",
      contentHash,
      sourcePath: null,
    }),
  );
}

/** A document that a payload lists. */
interface ListedDocument {
  readonly source: DocumentSource;
  readonly name: string | null;
  readonly nameGiven?: boolean;
  readonly config?: IngestConfig | undefined;
  readonly sourceKey?: string;
  readonly fileSize?: number;
  readonly mimeType?: string;
  readonly contentHash?: string;
}

function listedDocuments(payload: Item | BatchPayload): readonly ListedDocument[] {
  if (payload.type !== "BATCH") return [documentOfItem(payload)];
  return payload.items.map((item: BatchItem) => ({ ...documentOfItem(item), config: item.config }));
}

function documentOfItem(item: Item): ListedDocument {
  const name = item.fileName ?? null;
  switch (item.type) {
    case "TEXT":
      return {
        source: { type: "TEXT", text: item.text },
        name,
        fileSize: Buffer.byteLength(item.text),
        mimeType: "text/plain",
        contentHash: createHash("sha256").update(item.text).digest("hex"),
      };
    case "FILE":
      return {
        source: { type: "FILE", fileUrl: item.fileUrl },
        // Provisional: a name in the response's Content-Disposition header replaces it.
        name: name ?? (basename(new URL(item.fileUrl).pathname) || null),
        nameGiven: name !== null,
      };
    case "MANAGED_FILE":
      return { source: { type: "MANAGED_FILE", key: item.key }, name, sourceKey: item.key };
  }
}

/** The columns from which a job's documents are created. All are JSON. */
export interface JobInput {
  readonly payload: string;
  readonly config: string;
  readonly source_paths: string | null;
}

/** The stored request of a job. The columns are those of `ingest_job_payloads`. */
export interface StoredInput extends Omit<JobInput, "config"> {
  /** `null` if it is not computed yet. */
  readonly hash: number | null;
}

const REMEDY = "its content differs from its hash. Delete the job and submit its content again.";

/**
 * Checks the hash of a job's request. Otherwise documents would be made of an altered text, whose hashes would be those
 * of the alteration.
 * @throws KnowledgeBaseError `not_ready` if the request is damaged
 */
export function requireIntactInput(jobId: string, { payload, source_paths, hash }: StoredInput): void {
  if (hash !== null && hash !== textsHash([payload, source_paths]))
    throw new KnowledgeBaseError("not_ready", `The stored request of the job ${jobId} is damaged: ${REMEDY}`);
}

/** Returns the documents that a payload lists, with their uploads' properties; `null` if they must be discovered. */
export function* payloadDocuments(tx: Tx, job: JobInput): Operation<readonly NewDocument[] | null> {
  const documents = newDocuments(JSON.parse(job.payload), JSON.parse(job.config));
  const paths: readonly (string | null)[] = job.source_paths === null ? [] : JSON.parse(job.source_paths);
  if (documents === null) return null;
  const result: NewDocument[] = [];
  for (const document of documents) {
    result.push({ ...(yield* withUpload(tx, document)), sourcePath: paths[document.item] ?? null });
  }
  return result;
}

/** Adds the name, size, type and hash of a managed file, which are then known even if the file can't be parsed. */
function* withUpload(tx: Tx, document: NewDocument): Operation<NewDocument> {
  if (document.sourceKey === null) return document;
  const upload = yield* tx.get<{ file_name: string; file_size: number; content_type: string; sha256: string | null }>(
    "SELECT file_name, file_size, content_type, sha256 FROM uploads WHERE key = ?",
    document.sourceKey,
  );
  if (!upload) return document;
  const { file_name, file_size, content_type, sha256 } = upload;
  const name = document.name ?? file_name;
  return { ...document, name, fileSize: file_size, mimeType: content_type, contentHash: sha256 };
}
