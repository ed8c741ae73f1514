import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { KnowledgeBase } from "lorebase";
import { serve } from "lorebase/http";
import { CHUNKS, fillNamespace, makeQueries } from "./fill-namespace.js";
import { load } from "./load.js";

const SEARCHES = 3000;
const WARM_UP = 300;
const CONCURRENCIES = [1, 8];

/** Measures what HTTP adds to keyword searches over 100,000 chunks, with the load from a second process. */
export async function benchHttp(log: (line: string) => void) {
  const kb = new KnowledgeBase({ directory: ":memory:" });
  const texts = await fillNamespace(kb, "MANAGED_LEXICAL", log);
  const queries = makeQueries(texts, WARM_UP + SEARCHES);
  const { key: apiKey } = await kb.apiKeys.create({ name: "bench", scope: "read" });
  const server = await serve(kb, { port: 0 });
  const client = fork(new URL("./http-client.ts", import.meta.url), { execArgv: ["--import", "tsx"] });
  const url = `${server.url}/v1/namespace/bench/search`;
  const search = (query: string) => kb.search("bench", query, { mode: "keyword" });
  const figures = [];
  try {
    await load(search, queries.slice(0, WARM_UP), 1);
    await overHttp(client, { url, apiKey, queries: queries.slice(0, WARM_UP), connections: 1 });
    for (const concurrency of CONCURRENCIES) {
      const measured = queries.slice(WARM_UP);
      const inProcess = await load(search, measured, concurrency);
      const http = await overHttp(client, { url, apiKey, queries: measured, connections: concurrency });
      figures.push({ concurrency, inProcess, http, addedP50Ms: http.p50Ms - inProcess.p50Ms });
      const medians = `${inProcess.p50Ms.toFixed(2)} ms in-process, ${http.p50Ms.toFixed(2)} ms over HTTP (p50)`;
      log(`${concurrency} at a time: ${medians}`);
    }
  } finally {
    client.kill();
    await server.close();
    await kb.close();
  }
  return { chunks: CHUNKS, searches: SEARCHES, figures };
}

async function overHttp(client: ChildProcess, message: object): Promise<Awaited<ReturnType<typeof load>>> {
  client.send(message);
  const [figures] = await Promise.race([
    once(client, "message"),
    once(client, "exit").then(() => Promise.reject(new Error("The client process exited."))),
  ]);
  return figures;
}
