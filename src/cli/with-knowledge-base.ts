import type { KnowledgeBase, KnowledgeBaseOptions } from "../index.js";
import type { Invocation } from "./command.js";
import { environmentOptions } from "./environment-options.js";
import { createProgress, type Progress } from "./progress.js";
import { parseExistingStorageFlags } from "./storage-flags.js";
import type { Terminal } from "./terminal.js";

type Work<T> = (kb: KnowledgeBase, progress: Progress) => Promise<T>;

/** Opens a knowledge base and closes it after the work. Prints warnings and the progress of model downloads. */
export async function withKnowledgeBase<T>(
  options: KnowledgeBaseOptions,
  terminal: Terminal,
  work: Work<T>,
): Promise<T> {
  // Imported only here, so that help and doctor still run if the engine cannot be loaded.
  const engine = await import("../index.js");
  const kb = new engine.KnowledgeBase({ ...environmentOptions(terminal), ...options });
  const progress = createProgress(terminal);
  kb.on("warning", ({ message }) => {
    progress.end();
    terminal.err(`warning: ${message}\n`);
  });
  kb.on("model.progress", ({ file, loaded, total }) => {
    progress.update({ label: `loading ${file}`, done: loaded, total, detail: "bytes" });
  });
  const onAbort = () => terminal.err("\nStopping; press Ctrl-C again to stop at once.\n");
  terminal.signal.addEventListener("abort", onAbort);
  try {
    return await work(kb, progress);
  } finally {
    terminal.signal.removeEventListener("abort", onAbort);
    progress.end();
    await kb.close();
  }
}

/**
 * Opens an existing knowledge base, see {@link withKnowledgeBase}. Runs none of its jobs, which are left to a server
 * that may have the same directory open.
 */
export function withExistingKnowledgeBase<T>(
  { flags, terminal }: Invocation,
  work: Work<T>,
  options: KnowledgeBaseOptions = {},
): Promise<T> {
  const storage = parseExistingStorageFlags(flags, terminal);
  return withKnowledgeBase({ ...storage, worker: false, ...options }, terminal, work);
}
