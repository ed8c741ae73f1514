/** What a file may cost before it is refused with `limit_exceeded`. */
export const PARSE_LIMITS = {
  /** Bytes of the file. */
  maxFileBytes: 200 * 1024 * 1024,
  /** Bytes of all entries of an archive, inflated. */
  maxInflatedBytes: 300 * 1024 * 1024,
  maxArchiveEntries: 10_000,
  maxPages: 2_000,
  /** Of a picture. */
  maxPixels: 50e6,
  /** Of a mailbox. */
  maxMessages: 10_000,
  /** Of a message. */
  maxMailParts: 20_000,
  /** Files within files: an attachment of a message that is attached to a message is at 2. */
  maxNesting: 3,
  /** That a language model is asked about a document. */
  maxQuestions: 200,
  /** Lists and objects within each other in JSON. */
  maxJsonDepth: 200,
  /** Values of a JSON document, lists and objects among them. */
  maxJsonValues: 5_000_000,
  /** Elements within each other in XML. */
  maxXmlDepth: 5_000,
  /** Paragraphs, headings, list items, tables. */
  maxBlocks: 1_000_000,
  /** UTF-16 units of the text of all blocks. */
  maxCharacters: 24 * 1024 * 1024,
  maxChunks: 100_000,
  /** UTF-16 units of all chunks with their headings, and of what the file says of itself. */
  maxChunkCharacters: 64 * 1024 * 1024,
} as const;
