import { KnowledgeBaseError } from "../../errors.js";
import { DatabaseThread } from "./database-thread.js";

/**
 * Locks a file, which is created if it is missing, until the returned function is called or the process ends in any way.
 * @throws KnowledgeBaseError `conflict` (retryable) if another process or caller has locked it
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const thread = new DatabaseThread();
  try {
    await thread.open({ path, role: "lock" });
    return () => thread.close();
  } catch (error) {
    await thread.close();
    if (!KnowledgeBaseError.is(error, "conflict")) throw error;
    throw new KnowledgeBaseError("conflict", error.message, { retryable: true });
  }
}
