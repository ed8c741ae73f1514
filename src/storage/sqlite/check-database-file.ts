import type { CallOptions } from "../../types.js";
import type { ContentCounts } from "../records/contents.js";
import { DatabaseThread } from "./database-thread.js";

export interface CheckedDatabase {
  /** What SQLite found, as sentences; empty if the file is sound. */
  readonly problems: readonly string[];
  readonly counts: ContentCounts;
}

/** Runs SQLite's checks over a database file that nothing else has open, and counts what it holds. */
export async function checkDatabaseFile(path: string, options: CallOptions): Promise<CheckedDatabase> {
  const thread = new DatabaseThread();
  try {
    await thread.open({ path, role: "reader" });
    const problems = await thread.request<readonly string[]>({ kind: "checkIntegrity" }, options);
    const counting = { kind: "procedure", name: "contents.count", argument: undefined } as const;
    return { problems, counts: await thread.request<ContentCounts>(counting, options) };
  } finally {
    await thread.close();
  }
}
