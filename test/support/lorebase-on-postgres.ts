import { KnowledgeBase as InDirectory } from "#dist/index.js";
import type { KnowledgeBaseOptions } from "../../src/options.js";
import { databaseOf, MASTER_KEY } from "./postgres-directories.js";
import { testServer } from "./postgres-server.js";

// Instead of the package, with LOREBASE_TEST_ENGINE=postgres: its knowledge bases are in databases instead of files.
export * from "#dist/index.js";

const server = await testServer();
if (server === null)
  throw new Error("LOREBASE_TEST_ENGINE=postgres needs PostgreSQL's binaries or LOREBASE_TEST_POSTGRES");

/** A knowledge base in a database, which is the same for the same directory. */
export class KnowledgeBase extends InDirectory {
  constructor(options: KnowledgeBaseOptions = {}) {
    // Options that are refused are refused as they are.
    new InDirectory(options);
    const database = databaseOf(server!, options.directory);
    super({ masterKey: MASTER_KEY, sharedDirectory: true, database, ...options });
  }
}
