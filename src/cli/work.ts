import { resolve } from "node:path";
import type { Command } from "./command.js";
import { environmentOptions } from "./environment-options.js";
import { parseCount, resolveDirectory } from "./flag-values.js";
import { STORAGE_FLAGS } from "./flags.js";
import { createLog, logEvents, logProcessOutput } from "./log.js";
import { parseStorageFlags } from "./storage-flags.js";
import { waitForAbort } from "./wait-for-abort.js";

/** Runs the jobs of a knowledge base until a signal stops the process. */
export const workCommand: Command = {
  name: "work",
  summary: "run the jobs of a knowledge base, without a server",
  flags: [...STORAGE_FLAGS, "concurrency"],
  async run({ flags, terminal }) {
    const concurrency = parseCount("concurrency", flags.concurrency);
    const directory = resolve(resolveDirectory(flags, terminal));
    const engine = await import("../index.js");
    const kb = new engine.KnowledgeBase({
      ...environmentOptions(terminal),
      ...parseStorageFlags(flags, terminal),
      directory,
      worker: { ...(concurrency !== undefined && { concurrency }) },
    });
    const log = createLog(terminal, flags.json || !terminal.isInteractive ? "json" : "text");
    logProcessOutput(terminal, log);
    logEvents(kb, log);
    try {
      await kb.start();
      terminal.out(flags.json ? JSON.stringify({ directory }) : `Lorebase is running the jobs of ${directory}`);
      await waitForAbort(terminal.signal);
      log.info("shutting down: running jobs return to the queue; a second signal stops immediately");
    } finally {
      await kb.close();
    }
    log.info("stopped");
    return 0;
  },
};
