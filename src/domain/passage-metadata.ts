import type { EngineMetadata, Metadata } from "../types.js";

/** The chunk fields from which its public metadata is built. */
export interface PassageFields {
  readonly documentId: string;
  readonly ordinal: number;
  readonly page: number | null;
  readonly headings: readonly string[];
  /** Stored metadata as JSON: the caller's keys, `filename`, `url`. */
  readonly metadata: string;
}

/**
 * Returns the metadata that hits show and filters match: the caller's keys, the engine's keys, and `headings` unless
 * the caller has set that key.
 */
export function publicMetadata<M>(
  scope: { readonly namespaceId: string; readonly tenantId: string | null },
  passage: PassageFields,
): M & EngineMetadata {
  const stored: Metadata = JSON.parse(passage.metadata);
  const metadata: Metadata = {
    ...(passage.headings.length > 0 && !Object.hasOwn(stored, "headings") ? { headings: passage.headings } : {}),
    ...stored,
    documentId: passage.documentId,
    namespaceId: scope.namespaceId,
    ...(scope.tenantId === null ? {} : { tenantId: scope.tenantId }),
    sequence_number: passage.ordinal,
    ...(passage.page === null ? {} : { page_number: passage.page }),
  };
  return metadata as M & Metadata & EngineMetadata;
}
