/** Limits of a file; a file above them fails with `limit_exceeded`. */
export const PARSE_LIMITS = {
  /** Bytes of the file. */
  maxFileBytes: 200 * 1024 * 1024,
  /** Inflated bytes of all entries of an archive. */
  maxInflatedBytes: 300 * 1024 * 1024,
  maxArchiveEntries: 10_000,
  maxPages: 2_000,
  /** Of an image. */
  maxPixels: 50e6,
  /** Of a mailbox. */
  maxMessages: 10_000,
  /** Of a message. */
  maxMailParts: 20_000,
  /** Nesting of files: an attachment of a message that is attached to a message is at 2. */
  maxNesting: 3,
  /** Questions to a language model about a document. */
  maxQuestions: 200,
  /** Nesting of arrays and objects in JSON. */
  maxJsonDepth: 200,
  /** Values of a JSON document, including arrays and objects. */
  maxJsonValues: 5_000_000,
  /** Nesting of elements in XML. */
  maxXmlDepth: 5_000,
  /** Paragraphs, headings, list items, tables. */
  maxBlocks: 1_000_000,
  /** UTF-16 units of the text of all blocks. */
  maxCharacters: 24 * 1024 * 1024,
  maxChunks: 100_000,
  /** UTF-16 units of all chunks with their headings, and of the metadata. */
  maxChunkCharacters: 64 * 1024 * 1024,
} as const;
