// The resources with exactly the fields of the interface's documentation.

export interface Namespace {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly organizationId: string;
  readonly createdAt: string;
  readonly embeddingConfig: { readonly provider: string; readonly model?: string };
  readonly vectorStoreConfig: { readonly provider: string };
}

interface Phases {
  readonly createdAt: string;
  readonly queuedAt: string | null;
  readonly preProcessingAt: string | null;
  readonly processingAt: string | null;
  readonly completedAt: string | null;
  readonly failedAt: string | null;
}

export interface IngestJob extends Phases {
  readonly id: string;
  readonly namespaceId: string;
  readonly tenantId: string | null;
  readonly externalId: string | null;
  readonly name: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly payload: { readonly type: string };
  readonly config: Readonly<Record<string, unknown>>;
}

export interface Document extends Phases {
  readonly id: string;
  readonly ingestJobId: string;
  readonly name: string | null;
  readonly tenantId: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly source: { readonly type: string; readonly text?: string };
  readonly properties: { readonly fileSize: number; readonly mimeType: string };
  readonly config: Readonly<Record<string, unknown>>;
  readonly totalChunks: number;
  readonly totalTokens: number;
  readonly totalCharacters: number;
  readonly totalPages: number;
}

export interface Upload {
  readonly url: string;
  readonly key: string;
}

export interface SearchResult {
  readonly id: string;
  readonly score: number;
  readonly rerankScore?: number;
  readonly text?: string;
  readonly relationships?: { readonly document: string; readonly next?: string; readonly previous?: string };
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface Hosting {
  readonly namespaceId: string;
  readonly title: string;
  readonly slug: string;
  readonly url: string;
  readonly searchEnabled: boolean;
  readonly rerankConfig: unknown;
  readonly llmConfig: unknown;
  readonly topK: number;
  readonly protected: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface List<Item> {
  readonly success: true;
  readonly data: readonly Item[];
  readonly pagination: {
    readonly nextCursor: string | null;
    readonly prevCursor: string | null;
    readonly hasMore: boolean;
  };
}
