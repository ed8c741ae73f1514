export type { Answer, AnswerEvent, ChatMessage, Citation } from "./answer/answer.js";
export type { AnswerRun } from "./answer/answer-run.js";
export type { AskOptions } from "./answer/ask.js";
export { formatAnswer } from "./answer/format-answer.js";
export { type PromptContext, type ToPromptOptions, toPrompt } from "./answer/prompt.js";
export type { CheckedCitation } from "./answer/verify-citations.js";
export type { BackupOptions } from "./backup/backup.js";
export type { BackupManifest } from "./backup/manifest.js";
export type { RestoredBackup } from "./backup/restore.js";
export { restoreBackup } from "./backup/restore-backup.js";
export { type S3BlobStore, s3 } from "./blob-stores/s3/blob-store.js";
export type { S3Credentials, S3Options } from "./blob-stores/s3/options.js";
export type { UnfinishedUploads } from "./blob-stores/s3/unfinished-uploads.js";
export type { BundleContents, ExportOptions, SkippedPart } from "./bundle/export.js";
export type { ImportedNamespace, ImportOptions } from "./bundle/import.js";
export { tenantIdOf } from "./domain/tenant-id.js";
export { type AiSdkEmbeddingsOptions, aiSdkEmbeddings } from "./embedders/ai-sdk/provider.js";
export {
  ERROR_CODES,
  type ErrorCode,
  type InputIssue,
  KnowledgeBaseError,
  type KnowledgeBaseErrorOptions,
} from "./errors.js";
export type { DifferingQuery, ListedHit, RankingComparison } from "./evaluate/compare-rankings.js";
export type {
  EvaluatedVectors,
  EvaluateReembeddingOptions,
  JudgedComparison,
  ModelComparison,
  ReembeddingEvaluation,
} from "./evaluate/evaluate-reembedding.js";
export type {
  Evaluation,
  EvaluationComparison,
  EvaluationSummary,
  RunEvaluationOptions,
  SkippedQuestion,
} from "./evaluate/evaluations.js";
export type { BaselineComparison } from "./evaluate/gate.js";
export type { GoldenGuard, GoldenGuardInput } from "./evaluate/golden-guard.js";
export type {
  ClickQuestionsOptions,
  GeneratedQuestionCounts,
  GenerateQuestionsOptions,
  MakeQuestionsOptions,
} from "./evaluate/make-questions.js";
export type {
  AnsweredRequest,
  EndedSearch,
  EventOf,
  EventType,
  IngestEvent,
  KnowledgeBaseEvent,
  ProviderCall,
  StoredIngestEvent,
} from "./events/event-bus.js";
export type { DoneOptions, DuplicateItem, FollowOptions, IngestOutcome, IngestRun } from "./events/ingest-run.js";
export type { PendingRun } from "./events/pending-run.js";
export {
  type Filter,
  type FilterNode,
  type FilterOperators,
  type FilterScalar,
  matchesFilter,
  parseFilter,
} from "./filter.js";
export type { HealthCheck } from "./health/check-passages.js";
export type {
  CorpusHealth,
  DocumentFinding,
  HealthFindingKind,
  HealthFindings,
  HealthPassage,
  HealthReport,
  HealthReportOptions,
  ListHealthOptions,
  NearDuplicate,
  UnansweredQuestion,
  UnfindablePassage,
} from "./health/corpus-health.js";
export type { AiSdkEmbeddingModel } from "./interfaces/ai-sdk-embedding-model.js";
export type { AiSdkLanguageModel } from "./interfaces/ai-sdk-language-model.js";
export type { AiSdkRerankingModel } from "./interfaces/ai-sdk-reranking-model.js";
export type { BlobStore, ByteRange, Bytes, PresignRequest, StoredBlob } from "./interfaces/blob-store.js";
export type { Block, BlockKind, BlockTable, CellValue, ReadImage, RowCells, TableSpan } from "./interfaces/block.js";
export type { ChunkDraft, Chunker, ChunkOptions, DraftCells } from "./interfaces/chunker.js";
export type { Embedder, EmbedOptions, EmbedPurpose, LoadProgress } from "./interfaces/embedder.js";
export type { CallUsage, HostedCallOptions, HostedService } from "./interfaces/hosted.js";
export type {
  FinishReason,
  GenerateOptions,
  GenerateText,
  LanguageModel,
  ModelAnswer,
  ModelContent,
  ModelMessage,
  ModelTool,
  ToolCall,
} from "./interfaces/language-model.js";
export type {
  PageProgress,
  ParseConfig,
  ParsedDocument,
  ParseOptions,
  Parser,
  SourceFile,
} from "./interfaces/parser.js";
export type { AnyProvider, Provider, ProviderContext } from "./interfaces/provider.js";
export type { RankedPassage, Reranker, RerankOptions } from "./interfaces/reranker.js";
export type { DeleteTarget, VectorMatch, VectorQuery, VectorRecord, VectorStore } from "./interfaces/vector-store.js";
export type {
  Caption,
  ListedVideo,
  VideoCallOptions,
  VideoDetails,
  VideoSource,
  VideoTranscript,
} from "./interfaces/video-source.js";
export { type HostedPage, KnowledgeBase } from "./knowledge-base.js";
export { aiSdkLanguageModel } from "./language-models/ai-sdk/language-model.js";
export { type OpenAICompatibleOptions, openAICompatible } from "./language-models/openai-compatible/language-model.js";
export type { NamespaceHandle } from "./namespace-handle.js";
export type { NetworkOptions } from "./net/private-hosts.js";
export { type VendorFailure, vendorError } from "./net/vendor-error.js";
export type {
  HostedCallLimits,
  KnowledgeBaseLocation,
  KnowledgeBaseOptions,
  LimitOptions,
  ManagedAccount,
  ManagedOpenAIAccount,
  ManagedOptions,
  Migration,
  RetentionOptions,
  WorkerOptions,
} from "./options.js";
export type { OrganizationHandle } from "./organization-handle.js";
export type { ApiKey, ApiKeyScope, CreateApiKeyInput } from "./resources/api-keys.js";
export type { CheckOptions } from "./resources/check/check.js";
export type {
  CheckEvent,
  CheckFinding,
  CheckStage,
  CheckSummary,
  DamagedDocument,
} from "./resources/check/check-events.js";
export type { AddClickInput, Click } from "./resources/clicks.js";
export type { CompactOptions } from "./resources/compact.js";
export type { DocumentText, DocumentTextOptions } from "./resources/document-text.js";
export type { DocumentChunksOptions, ListDocumentsOptions, UpdateDocumentInput } from "./resources/documents.js";
export type { Download, DownloadOptions, DownloadUrl, SignedDownload } from "./resources/downloads.js";
export type { AddFeedbackInput, Feedback, ListFeedbackOptions } from "./resources/feedback.js";
export type {
  AddGoldenQuestionInput,
  GoldenAnswer,
  GoldenQuestion,
  GoldenQuestionCounts,
  GoldenQuestionOrigin,
  GoldenQuestionStatus,
  ListGoldenQuestionsOptions,
  StoredGoldenQuestion,
  UpdateGoldenQuestionInput,
} from "./resources/golden-questions.js";
export type { Hosting, HostingPatch, HostingSettings } from "./resources/hosting-settings.js";
export type { IngestInput, IngestOptions, LocalFile } from "./resources/ingest-input.js";
export type { CreateIngestJobInput, ListIngestJobsOptions, ReingestOptions } from "./resources/ingest-jobs.js";
export type {
  CreateNamespaceInput,
  CreateNamespaceOptions,
  DeleteNamespaceOptions,
  IterateOptions,
  ListOptions,
  NamespaceSecrets,
} from "./resources/namespaces.js";
export type { CreateOrganizationInput, UpdateOrganizationInput } from "./resources/organizations.js";
export type { PageCode } from "./resources/page-code.js";
export type { PageSession, PageSessionScope } from "./resources/page-session.js";
export type { OrganizationUsage, ResourceUsage } from "./resources/read-usage.js";
export type { Readiness } from "./resources/readiness.js";
export type { DiscardOptions, NewVectors, ReembeddingOptions } from "./resources/reembeddings.js";
export type { KeyRotation } from "./resources/rotate-keys.js";
export type { CreateUploadInput, SignedUpload, Upload } from "./resources/uploads.js";
export type { Webhook, WebhookDelivery } from "./resources/webhook-records.js";
export type { CreateWebhookInput, ListWebhookDeliveriesOptions, WebhookPatch } from "./resources/webhooks.js";
export type { Boost } from "./search/boosts.js";
export type {
  DocumentExplanation,
  DocumentReturned,
  DroppedChunk,
  DroppedDocument,
  ReturnedChunk,
} from "./search/document-explanation.js";
export type { ExplainOptions } from "./search/explain.js";
export type {
  BoostEvidence,
  DiversityEvidence,
  FusionEvidence,
  HitExplanation,
  KeywordEvidence,
  ReplacedTerm,
  RerankEvidence,
  SemanticEvidence,
} from "./search/explanation.js";
export type { Facet, FacetOptions } from "./search/facets.js";
export { type CitedHit, type CitedQuote, formatCitation } from "./search/format-citation.js";
export type { FusionMethod } from "./search/fusion.js";
export type { ListPassagesOptions, PassagePage } from "./search/list-passages.js";
export type { SearchOptions } from "./search/search.js";
export type { Highlight, HitContext, Relationships, SearchHit } from "./search/search-hit.js";
export type { SimilarOptions } from "./search/similar.js";
export { type YoutubeOptions, youtubeVideoSource } from "./sources/youtube/youtube-video-source.js";
export type { CallCount, CountedCall } from "./storage/call-counter.js";
export type { CompactedPlace, CompactPhase, CompactProgress, CompactSummary } from "./storage/compaction.js";
export type { FailedFile } from "./storage/records/synced-files.js";
export type { FacetValue } from "./storage/search-index.js";
export type { SyncChanges } from "./sync/apply-changes.js";
export type { SkippedFile, SkipReason } from "./sync/list-files.js";
export type { SyncedFolder, SyncOptions } from "./sync/sync-plan.js";
export type { SyncResult, SyncRun } from "./sync/sync-run.js";
export type { WatchOptions } from "./sync/watch-folder.js";
export type { ComparedFiles } from "./transfer/compare-files.js";
export type { ComparedTable } from "./transfer/compare-records.js";
export type { MigrationPhase, MigrationProgress } from "./transfer/progress.js";
export type { MigrateOptions, MigrationSummary } from "./transfer/transfer.js";
export * from "./types.js";
export type { PgvectorAccount } from "./vector-stores/pgvector/provider.js";
export type { PineconeAccount } from "./vector-stores/pinecone/provider.js";
export type { TurbopufferAccount } from "./vector-stores/turbopuffer/provider.js";
export type { WebhookDocument, WebhookEvent, WebhookIngestJob } from "./webhooks/event.js";
