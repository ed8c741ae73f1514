import { basename } from "node:path";
import { newId } from "../../ids.js";
import { mergeConfig } from "../../merge-config.js";
import type {
  BatchItem,
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
  readonly source: string;
  readonly sourceKey: string | null;
  readonly config: string;
  readonly fileSize: number;
  readonly mimeType: string;
}

/** The documents that a job's payload asks for, in its order. */
export function jobDocuments(payload: IngestPayload, config: IngestConfig): readonly NewDocument[] {
  return sourcesOf(payload).map(({ source, name, config: itemConfig, fileSize, mimeType, sourceKey = null }, item) => ({
    id: newId("doc"),
    item,
    name,
    source: JSON.stringify(source),
    sourceKey,
    config: JSON.stringify(mergeConfig(config, itemConfig)),
    fileSize: fileSize ?? 0,
    mimeType: mimeType ?? "application/octet-stream",
  }));
}

interface PlannedDocument {
  readonly source: DocumentSource;
  readonly name: string | null;
  readonly config?: IngestConfig | undefined;
  readonly sourceKey?: string;
  readonly fileSize?: number;
  readonly mimeType?: string;
}

function sourcesOf(payload: IngestPayload): readonly PlannedDocument[] {
  switch (payload.type) {
    case "BATCH":
      return payload.items.map((item: BatchItem) => ({ ...itemSource(item), config: item.config }));
    case "CRAWL":
      return [{ source: { type: "CRAWLED_PAGE", url: payload.url }, name: payload.url, mimeType: "text/html" }];
    case "YOUTUBE":
      return payload.urls.map((url) => ({ source: { type: "YOUTUBE_VIDEO", videoId: "", url }, name: url }));
    default:
      return [itemSource(payload)];
  }
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
      };
    case "FILE":
      return {
        source: { type: "FILE", fileUrl: item.fileUrl },
        name: name ?? (basename(new URL(item.fileUrl).pathname) || null),
      };
    case "MANAGED_FILE":
      return { source: { type: "MANAGED_FILE", key: item.key }, name, sourceKey: item.key };
  }
}
