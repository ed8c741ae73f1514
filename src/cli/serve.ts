import { resolve } from "node:path";
import type { RunningServer } from "../http/index.js";
import type { KnowledgeBase } from "../index.js";
import type { Command } from "./command.js";
import { environmentOptions } from "./environment-options.js";
import { parseCount, parsePort, resolveDirectory } from "./flag-values.js";
import { STORAGE_FLAGS } from "./flags.js";
import { type HostedPageAddress, listHostedPages } from "./hosted-pages.js";
import { createLog, type Log, logEvents, logProcessOutput } from "./log.js";
import { parseRerankerFlags } from "./parse-reranker-flags.js";
import { serveMetrics } from "./serve-metrics.js";
import { parseStorageFlags } from "./storage-flags.js";
import type { Terminal } from "./terminal.js";
import { waitForAbort } from "./wait-for-abort.js";

/** Runs the HTTP server and, without `--no-worker`, the jobs of a knowledge base until a signal stops the process. */
export const serveCommand: Command = {
  name: "serve",
  summary: "serve a knowledge base over HTTP",
  flags: [
    ...STORAGE_FLAGS,
    "read-only",
    ...(["port", "host", "public-url", "no-worker", "reranker"] as const),
    ...(["page-metadata", "frame-ancestor", "trust-proxy", "metrics", "metrics-port", "metrics-host"] as const),
  ],
  async run({ flags, terminal }) {
    const port = parsePort("port", flags.port);
    const metricsPort = parsePort("metrics-port", flags["metrics-port"]);
    const directory = resolve(resolveDirectory(flags, terminal));
    const [engine, http] = await Promise.all([import("../index.js"), import("../http/index.js")]);
    const kb = new engine.KnowledgeBase({
      ...environmentOptions(terminal),
      ...parseStorageFlags(flags, terminal),
      directory,
      ...(flags["no-worker"] && { worker: false }),
      publicUrl: flags["public-url"],
      metrics: flags.metrics || metricsPort !== undefined,
      ...parseRerankerFlags(flags, terminal),
    });
    const log = createLog(terminal, flags.json || !terminal.isInteractive ? "json" : "text");
    logProcessOutput(terminal, log);
    logEvents(kb, log);
    let server: RunningServer | null = null;
    let metricsServer: RunningServer | null = null;
    try {
      await kb.start();
      server = await http.serve(kb, {
        port,
        host: flags.host,
        landingPage: true,
        page: {
          metadata: flags["page-metadata"],
          frameAncestors: flags["frame-ancestor"],
          trustProxy: parseCount("trust-proxy", flags["trust-proxy"]),
        },
        onRequest: log.request,
        onError: (error, requestId) => log.error("request failed", error, { requestId }),
      });
      if (metricsPort !== undefined)
        metricsServer = await serveMetrics(kb, { port: metricsPort, host: flags["metrics-host"], log });
      // Created only once the server listens: if it could not, the key would never be shown.
      const apiKey = await createFirstKey(kb, log, flags["read-only"]);
      const { url } = server;
      const pages = await listHostedPages(kb, url);
      const welcome = { url, apiKey, pages, ...(metricsServer && { metricsUrl: metricsServer.url }) };
      terminal.out(flags.json ? JSON.stringify(welcome) : formatWelcome(welcome, directory, terminal));
    } catch (error) {
      await Promise.all([server?.close(), metricsServer?.close()]);
      await kb.close();
      throw error;
    }
    await waitForAbort(terminal.signal);
    log.info("shutting down: requests in flight may finish; a second signal stops immediately");
    try {
      await Promise.all([server.close(), metricsServer?.close()]);
      await kb.close();
    } catch (error) {
      // Logged instead of thrown, since stdout must stay one JSON document.
      log.error("the knowledge base could not be closed", error);
      return 1;
    }
    log.info("stopped");
    return 0;
  },
};

/** Creates an API key if none exists, so that the server can be used at once. Otherwise returns `null`. */
async function createFirstKey({ apiKeys }: KnowledgeBase, log: Log, isReadOnly = false): Promise<string | null> {
  const { items } = await apiKeys.list({ perPage: 1 });
  if (items.length > 0) return null;
  if (isReadOnly) {
    log.info("there is no API key: only hosted pages are served; run lorebase keys create without --read-only first");
    return null;
  }
  const { key } = await apiKeys.create({ name: "first key", scope: "admin" });
  return key;
}

interface Welcome {
  readonly url: string;
  readonly apiKey: string | null;
  readonly pages: readonly HostedPageAddress[];
  /** Absent without `--metrics-port`. */
  readonly metricsUrl?: string;
}

function formatWelcome({ url, apiKey, pages, metricsUrl }: Welcome, directory: string, { style }: Terminal): string {
  const keyLines =
    apiKey === null
      ? ["  API key    created earlier; run `lorebase keys create` for another"]
      : [`  API key    ${style("bold", apiKey)}`, "             admin scope; shown only once, so save it now"];
  return [
    `Lorebase is listening on ${style("bold", url)}`,
    "",
    ...keyLines,
    `  Try        curl ${url}/v1/namespace -H "Authorization: Bearer ${apiKey ?? "$KEY"}"`,
    ...pages.flatMap((page) => [
      `  Page       ${style("bold", page.url)}`,
      // Sign-in codes are e-mailed by the application that runs the server; this command sends no e-mail.
      ...(page.protected
        ? ["             protected: nobody can sign in here, since this command sends no e-mail"]
        : []),
    ]),
    ...(metricsUrl === undefined ? [] : [`  Metrics    ${metricsUrl}/metrics`]),
    `  Directory  ${directory}`,
    "",
  ].join("\n");
}
