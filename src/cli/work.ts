import { resolve } from "node:path";
import type { RunningServer } from "../http/index.js";
import type { Command } from "./command.js";
import { environmentOptions } from "./environment-options.js";
import { parseCount, parsePort, resolveDirectory } from "./flag-values.js";
import { STORAGE_FLAGS } from "./flags.js";
import { createLog, logEvents, logProcessOutput } from "./log.js";
import { serveMetrics } from "./serve-metrics.js";
import { parseStorageFlags } from "./storage-flags.js";
import { waitForAbort } from "./wait-for-abort.js";

/** Runs the jobs of a knowledge base until a signal stops the process. */
export const workCommand: Command = {
  name: "work",
  summary: "run the jobs of a knowledge base, without a server",
  flags: [...STORAGE_FLAGS, "concurrency", "metrics-port", "metrics-host"],
  async run({ flags, terminal }) {
    const concurrency = parseCount("concurrency", flags.concurrency);
    const metricsPort = parsePort("metrics-port", flags["metrics-port"]);
    const directory = resolve(resolveDirectory(flags, terminal));
    const engine = await import("../index.js");
    const storage = parseStorageFlags(flags, terminal);
    const kb = new engine.KnowledgeBase({
      ...environmentOptions(terminal),
      ...storage,
      directory,
      metrics: metricsPort !== undefined,
      worker: { ...(concurrency !== undefined && { concurrency }) },
    });
    const log = createLog(terminal, flags.json || !terminal.isInteractive ? "json" : "text");
    logProcessOutput(terminal, log);
    logEvents(kb, log);
    let metricsServer: RunningServer | null = null;
    try {
      await kb.start();
      if (metricsPort !== undefined)
        metricsServer = await serveMetrics(kb, { port: metricsPort, host: flags["metrics-host"], log });
      const welcome = { directory, ...(metricsServer && { metricsUrl: metricsServer.url }) };
      terminal.out(flags.json ? JSON.stringify(welcome) : formatWelcome(welcome, storage.database));
      await waitForAbort(terminal.signal);
      log.info("shutting down: running jobs return to the queue; a second signal stops immediately");
    } finally {
      await metricsServer?.close();
      await kb.close();
    }
    log.info("stopped");
    return 0;
  },
};

function formatWelcome(
  { directory, metricsUrl }: { readonly directory: string; readonly metricsUrl?: string },
  database: string | undefined,
): string {
  const metrics = metricsUrl === undefined ? "" : `, with metrics at ${metricsUrl}/metrics`;
  return `Lorebase is running the jobs of ${database === undefined ? directory : describeDatabase(database)}${metrics}`;
}

/** Leaves out credentials and parameters. */
function describeDatabase(database: string): string {
  const { host, pathname } = new URL(database);
  return `${host}${pathname}`;
}
