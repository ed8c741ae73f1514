import { MAX_CELL_RANGES } from "../domain/cell-limits.js";
import { MAX_STEMMING } from "../text-analysis/stemming.js";
import { JsonShape } from "../util/json-shape.js";
import { preview } from "../util/preview.js";
import { tenantIdSchema } from "../validation/tenant-id.js";
import { z } from "../vendor/zod.js";

// The records of a bundle, one a line. A bundle may come from anyone, so every field has a type and a limit.

const MAX_NAME = 1024;
const MAX_CHUNK_TEXT = 1024 * 1024;
const MAX_TEXT_PART = 1024 * 1024;
const MAX_METADATA = 256 * 1024;
const MAX_SOURCE = 32 * 1024 * 1024;
const MAX_JSON_DEPTH = 32;
/** The bytes of one record of a file. */
export const FILE_PART_BYTES = 192 * 1024;

const count = z.int().min(0);
const place = z
  .int()
  .min(0)
  .max(2 ** 31);
const label = z.string().max(MAX_NAME).nullable();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const base64 = (maxBytes: number) => z.base64().max(Math.ceil(maxBytes / 3) * 4);

/** A JSON text of limited size and depth whose value meets a schema. The text is kept. */
function jsonText(maxLength: number, schema: z.ZodType) {
  return z
    .string()
    .max(maxLength)
    .superRefine((text, context) => {
      const refuse = (message: string) => context.addIssue({ code: "custom", message, input: undefined });
      if (new JsonShape().add(Buffer.from(text)).depth > MAX_JSON_DEPTH) return refuse("is nested too deeply");
      const { error } = schema.safeParse(tryParse(text));
      if (error) refuse(`is not valid: ${preview(error.issues[0]!.message)}`);
    });
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by every schema.
    return undefined;
  }
}

/** Not a zod record, which silently drops a key named `__proto__`. */
const plainObject = z.custom<object>((value) => Object.prototype.toString.call(value) === "[object Object]");
const url = z.string().max(8192);
const optionalText = z.string().nullable().optional();

export const sourceSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("TEXT"), text: z.string() }),
  z.strictObject({ type: z.literal("FILE"), fileUrl: url }),
  z.strictObject({ type: z.literal("MANAGED_FILE"), key: z.string().max(MAX_NAME) }),
  z.strictObject({
    type: z.literal("CRAWLED_PAGE"),
    url,
    title: optionalText,
    description: optionalText,
    language: optionalText,
  }),
  z.strictObject({
    type: z.literal("YOUTUBE_VIDEO"),
    videoId: z.string().max(MAX_NAME),
    url,
    duration: z.number().nullable().optional(),
  }),
]);

const payloadTypes = z.looseObject({
  type: z.enum(["TEXT", "FILE", "MANAGED_FILE", "CRAWL", "YOUTUBE", "BATCH"]),
});

/** A box, a box with its range, the start of a page, or cells (storage/chunk-positions.ts). */
const positions = z
  .array(
    z.union([
      z.array(z.number()).refine(({ length }) => length === 2 || length === 5 || length === 7),
      z.tuple([z.string().max(MAX_NAME), place, place, place, place, place, place, z.literal(1).optional()]),
    ]),
  )
  .max(10_000)
  .refine((rows) => rows.filter(([first]) => typeof first === "string").length <= MAX_CELL_RANGES, {
    error: `has more than ${MAX_CELL_RANGES} ranges of cells`,
  });

const header = z.strictObject({
  type: z.literal("header"),
  format: z.literal("lorebase-bundle"),
  version: z.literal(1),
  /** The version of the package that wrote the bundle. */
  madeWith: z.string().max(64),
  createdAt: z.iso.datetime(),
  namespace: z.strictObject({
    name: z.string().max(MAX_NAME),
    slug: z.string().max(MAX_NAME),
    /** Without secrets. */
    embeddingConfig: z.looseObject({ provider: z.string().max(MAX_NAME) }),
    /** Whether vector search may miss a few of the nearest vectors. */
    approximate: z.boolean(),
  }),
  /** What the vectors were computed with. */
  embedder: z.strictObject({
    provider: z.string().max(MAX_NAME),
    model: z.string().max(MAX_NAME),
    dimensions: z.int().min(1).max(65_536),
    fingerprint: z.string().max(MAX_NAME),
  }),
  hasOriginals: z.boolean(),
});

/** Jobs have numbers from 0, in order, to which documents refer. */
const job = z.strictObject({
  type: z.literal("job"),
  tenantId: tenantIdSchema.nullable(),
  externalId: label,
  name: label,
  config: jsonText(MAX_METADATA, plainObject),
  payload: jsonText(MAX_SOURCE, payloadTypes),
  createdAt: count,
});

/** The original of later documents. Files have numbers from 0, in order. Its bytes follow. */
const file = z.strictObject({
  type: z.literal("file"),
  fileName: z.string().max(MAX_NAME),
  contentType: z.string().max(MAX_NAME),
  size: count,
  sha256,
});

const data = z.strictObject({ type: z.literal("data"), bytes: base64(FILE_PART_BYTES) });

/** Its text and its chunks follow. */
const document = z.strictObject({
  type: z.literal("document"),
  /** The number of the job. */
  job: count,
  item: place,
  name: label,
  nameGiven: z.boolean(),
  /** The number of the file; `null` if the bundle has no original. */
  file: count.nullable(),
  discoveryKey: z.string().max(8192).nullable(),
  config: jsonText(MAX_METADATA, plainObject),
  source: jsonText(MAX_SOURCE, sourceSchema),
  warnings: z.array(z.string().max(8192)).max(1000),
  fileSize: count,
  mimeType: z.string().max(MAX_NAME),
  contentHash: z.string().max(128).nullable(),
  chunks: count,
  tokens: count,
  characters: count,
  pages: count,
  createdAt: count,
});

const text = z.strictObject({
  type: z.literal("text"),
  start: place,
  text: z.string().max(MAX_TEXT_PART),
  pageStarts: z.array(place).max(1_000_000).nullable(),
});

const chunk = z.strictObject({
  type: z.literal("chunk"),
  ordinal: place,
  text: z.string().max(MAX_CHUNK_TEXT),
  /** The text to embed and to index; `null` if it equals `text`. */
  indexText: z.string().max(MAX_CHUNK_TEXT).nullable(),
  headings: z.array(z.string().max(MAX_CHUNK_TEXT)).max(100),
  page: place.nullable(),
  metadata: jsonText(MAX_METADATA, plainObject),
  tokens: count,
  start: place,
  end: place,
  boxes: jsonText(MAX_METADATA, positions).nullable(),
  /** How its words are stemmed (text-analysis/stemming.ts). */
  stemming: z.int().min(0).max(MAX_STEMMING, "is a language of a later version of lorebase"),
  /** Base64 of f32 values, little-endian; `null` if the bundle has no vector. */
  vector: base64(65_536 * 4).nullable(),
});

/** The most parts of documents that a bundle may lack. */
export const MAX_SKIPPED = 10_000;

/** Something that the bundle doesn't have, because it was damaged when the bundle was made. */
const skipped = z.strictObject({
  type: z.literal("skipped"),
  /** In the exported knowledge base; `null` if it couldn't be read. */
  documentId: z.string().max(MAX_NAME).nullable(),
  documentName: label,
  /** Whether the whole document is missing, or its original only. */
  part: z.enum(["document", "original"]),
  /** What was damaged, as sentences. */
  reason: z.string().max(8192),
});

/** The last record, with the numbers of all others. */
const end = z.strictObject({
  type: z.literal("end"),
  jobs: count,
  files: count,
  documents: count,
  chunks: count,
  skipped: count.max(MAX_SKIPPED),
});

export const recordSchema = z.discriminatedUnion("type", [
  header,
  job,
  file,
  data,
  document,
  text,
  chunk,
  skipped,
  end,
]);

export type BundleRecord = z.output<typeof recordSchema>;
export type BundleHeader = z.output<typeof header>;
export type BundleEnd = z.output<typeof end>;
export type ChunkRecord = z.output<typeof chunk>;
export type SkippedRecord = z.output<typeof skipped>;
export type DocumentRecord = z.output<typeof document>;
