import { KnowledgeBase } from "lorebase";
import { onTestFinished } from "vitest";
import { LEXICAL } from "./knowledge-base.js";
import type { TestDatabase } from "./postgres.js";
import { temporaryDirectory } from "./temporary-directory.js";

/** Opens a knowledge base in a database. At the end of the test, it is closed and the database is dropped. */
export function openOnPostgres(server: TestDatabase): KnowledgeBase {
  onTestFinished(() => server.drop());
  const kb = new KnowledgeBase({
    ...{ database: server.url, directory: temporaryDirectory(), sharedDirectory: true, masterKey: "11".repeat(32) },
    defaultEmbedding: LEXICAL,
  });
  onTestFinished(() => kb.close());
  return kb;
}
