import { resolve } from "node:path";
import type { RunningServer } from "../http/index.js";
import type { KnowledgeBase } from "../index.js";
import type { Stray } from "./capture-process-output.js";
import type { Command } from "./command.js";
import { environmentOptions } from "./environment-options.js";
import { directoryOf, portOf } from "./flag-values.js";
import { createLog, type Log } from "./log.js";
import { logEvents } from "./log-events.js";
import { rerankingOf } from "./parse-reranker-flags.js";
import type { Terminal } from "./terminal.js";

/** `lorebase serve`: the HTTP interface over a directory, until a signal ends it. */
export const serveCommand: Command = {
  name: "serve",
  summary: "serve a knowledge base over HTTP",
  usage: "",
  operands: { min: 0, max: 0 },
  flags: ["directory", "port", "host", "public-url", "reranker"],
  async run({ flags, terminal }) {
    const port = portOf(flags.port);
    const directory = resolve(directoryOf(flags, terminal));
    const [engine, http] = await Promise.all([import("../index.js"), import("../http/index.js")]);
    const kb = new engine.KnowledgeBase({
      ...environmentOptions(terminal),
      directory,
      publicUrl: flags["public-url"],
      ...rerankingOf(flags, terminal),
    });
    const log = createLog(terminal, flags.json || !terminal.live ? "json" : "text");
    terminal.withholdStrays((stray) => logStray(log, stray));
    logEvents(kb, log);
    let server: RunningServer | null = null;
    try {
      await kb.start();
      server = await http.serve(kb, {
        port,
        host: flags.host,
        landingPage: true,
        onRequest: log.request,
        onError: (error, requestId) => log.error("request failed", error, { requestId }),
      });
      // Only now: where it cannot listen, the key would be made and never be seen.
      const apiKey = await firstKey(kb);
      const { url } = server;
      terminal.out(flags.json ? JSON.stringify({ url, apiKey }) : welcome(url, apiKey, directory, terminal));
    } catch (error) {
      await server?.close();
      await kb.close();
      throw error;
    }
    await aborted(terminal.signal);
    log.info("stopping: requests that run may end; a second signal stops at once");
    try {
      await server.close();
      await kb.close();
    } catch (error) {
      // Not thrown: standard output has said all that it ever says.
      log.error("the knowledge base could not be closed", error);
      return 1;
    }
    log.info("stopped");
    return 0;
  },
};

/** Makes a key where there is none, so that the server is of use at once; null where there is one. */
async function firstKey({ apiKeys }: KnowledgeBase): Promise<string | null> {
  const { items } = await apiKeys.list({ perPage: 1 });
  if (items.length > 0) return null;
  const { key } = await apiKeys.create({ name: "first key", scope: "admin" });
  return key;
}

function welcome(url: string, apiKey: string | null, directory: string, { style }: Terminal): string {
  return [
    `Lorebase serves ${style("bold", url)}`,
    "",
    `  API key    ${apiKey === null ? "one that was made before; lorebase keys create makes another" : style("bold", apiKey)}`,
    ...(apiKey === null ? [] : ["             of scope admin, shown this once: keep it"]),
    `  Try        curl ${url}/v1/namespace -H "Authorization: Bearer ${apiKey ?? "$KEY"}"`,
    `  Directory  ${directory}`,
    "",
  ].join("\n");
}

function logStray(log: Log, { kind, error }: Stray): void {
  if (kind === "output") log.warn("a library's output was withheld");
  else log.error(kind === "warning" ? "Node warned" : "the process failed", error);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
