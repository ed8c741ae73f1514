import type { EngineMetadata, Metadata } from "../types.js";

/** A chunk as far as its shown metadata depends on it. */
export interface PassageOrigin {
  readonly documentId: string;
  readonly ordinal: number;
  readonly page: number | null;
  readonly headings: readonly string[];
  /** As stored, JSON: the caller's keys, `filename`, `url`. */
  readonly metadata: string;
}

/** What a hit shows and what filters see: the caller's own keys, the engine's identity keys, and headings unless the caller set them. */
export function shownMetadata<M>(
  scope: { readonly namespaceId: string; readonly tenantId: string | null },
  passage: PassageOrigin,
): M & EngineMetadata {
  const stored: Metadata = JSON.parse(passage.metadata);
  const shown: Metadata = {
    ...(passage.headings.length > 0 && !Object.hasOwn(stored, "headings") ? { headings: passage.headings } : {}),
    ...stored,
    documentId: passage.documentId,
    namespaceId: scope.namespaceId,
    ...(scope.tenantId === null ? {} : { tenantId: scope.tenantId }),
    sequence_number: passage.ordinal,
    ...(passage.page === null ? {} : { page_number: passage.page }),
  };
  return shown as M & Metadata & EngineMetadata;
}
