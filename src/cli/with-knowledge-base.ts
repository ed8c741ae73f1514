import type { KnowledgeBase, KnowledgeBaseOptions } from "../index.js";
import { environmentOptions } from "./environment-options.js";
import type { Progress } from "./progress.js";
import type { Terminal } from "./terminal.js";

/** Opens a knowledge base for one piece of work, shows its warnings and model downloads, and closes it after. */
export async function withKnowledgeBase<T>(
  options: KnowledgeBaseOptions,
  terminal: Terminal,
  progress: Progress,
  work: (kb: KnowledgeBase) => Promise<T>,
): Promise<T> {
  // Loaded here, so that help and doctor also run where the engine cannot be loaded.
  const engine = await import("../index.js");
  const kb = new engine.KnowledgeBase({ ...environmentOptions(terminal), ...options });
  kb.on("warning", ({ message }) => {
    progress.end();
    terminal.err(`warning: ${message}\n`);
  });
  kb.on("model.progress", ({ file, loaded, total }) => {
    progress.update({ label: `loading ${file}`, done: loaded, total, detail: "bytes" });
  });
  const stopping = () => terminal.err("\nStopping; press Ctrl-C again to stop at once.\n");
  terminal.signal.addEventListener("abort", stopping);
  try {
    return await work(kb);
  } finally {
    terminal.signal.removeEventListener("abort", stopping);
    progress.end();
    await kb.close();
  }
}
