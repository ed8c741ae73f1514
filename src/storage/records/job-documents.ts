import { createHash } from "node:crypto";
import { basename } from "node:path";
import { newId } from "../../domain/ids.js";
import { mergeConfig } from "../../domain/merge-config.js";
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

type Item = TextPayload | FilePayload | ManagedFilePayload;

/** A document as it is first stored. */
export interface NewDocument {
  readonly id: string;
  readonly item: number;
  readonly name: string | null;
  /** Whether the caller has given it: none that is found takes its place. */
  readonly nameGiven: boolean;
  readonly source: string;
  readonly sourceKey: string | null;
  /** By which its job finds it again; `null` if the payload names it. */
  readonly foundKey: string | null;
  readonly config: string;
  readonly fileSize: number;
  readonly mimeType: string;
  /** SHA-256 of its bytes, in hex; `null` if they are still to be had. */
  readonly contentHash: string | null;
  /** Absolute path of the local file that it was read from; `null` if it was none. */
  readonly sourcePath: string | null;
}

/** The documents that a job's payload names, in its order; `null` if they have to be found. */
export function jobDocuments(payload: IngestPayload, config: IngestConfig): readonly NewDocument[] | null {
  if (payload.type === "CRAWL" || payload.type === "YOUTUBE") return null;
  return sourcesOf(payload).map(
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
      foundKey: null,
      config: JSON.stringify(mergeConfig(config, itemConfig)),
      fileSize: fileSize ?? 0,
      mimeType: mimeType ?? "application/octet-stream",
      contentHash,
      sourcePath: null,
    }),
  );
}

interface PlannedDocument {
  readonly source: DocumentSource;
  readonly name: string | null;
  readonly nameGiven?: boolean;
  readonly config?: IngestConfig | undefined;
  readonly sourceKey?: string;
  readonly fileSize?: number;
  readonly mimeType?: string;
  readonly contentHash?: string;
}

function sourcesOf(payload: Item | BatchPayload): readonly PlannedDocument[] {
  if (payload.type !== "BATCH") return [itemSource(payload)];
  return payload.items.map((item: BatchItem) => ({ ...itemSource(item), config: item.config }));
}

function itemSource(item: Item): PlannedDocument {
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
        // Until it is fetched: then its header may have another.
        name: name ?? (basename(new URL(item.fileUrl).pathname) || null),
        nameGiven: name !== null,
      };
    case "MANAGED_FILE":
      return { source: { type: "MANAGED_FILE", key: item.key }, name, sourceKey: item.key };
  }
}
