/** Limits for one file. Files that exceed one fail with `limit_exceeded`. */
export const PARSE_LIMITS = {
  maxFileBytes: 200 * 1024 * 1024,
  /** Total decompressed bytes of all entries in an archive. */
  maxInflatedBytes: 300 * 1024 * 1024,
  maxArchiveEntries: 10_000,
  maxPages: 2_000,
  /** Pixels of an image, in total. */
  maxPixels: 50e6,
  /** Messages in a mailbox. */
  maxMessages: 10_000,
  /** Parts in a message. */
  maxMailParts: 20_000,
  /** Nesting depth of files: an attachment of an attached message has depth 2. */
  maxNesting: 3,
  /** Questions to a language model about one document. */
  maxQuestions: 200,
  /** Nesting depth of arrays and objects in JSON. */
  maxJsonDepth: 200,
  /** Values in a JSON document, including arrays and objects. */
  maxJsonValues: 5_000_000,
  /** Nesting depth of elements in XML. */
  maxXmlDepth: 5_000,
  /** Blocks of a document: paragraphs, headings, list items, tables and others. */
  maxBlocks: 1_000_000,
  /** UTF-16 code units in the text of all blocks. */
  maxCharacters: 24 * 1024 * 1024,
  maxChunks: 100_000,
  /** UTF-16 code units in all chunks with their headings, and in the metadata. */
  maxChunkCharacters: 64 * 1024 * 1024,
} as const;
