// node:http. The knowledge base serves every path below /kb.
import { createServer } from "node:http";
import type { KnowledgeBase } from "lorebase";
import { createHandler, toNodeHandler } from "lorebase/http";
import { listen, type Running, runDirectly } from "./run.js";

export function start(kb: KnowledgeBase, port: number): Promise<Running> {
  const listener = toNodeHandler(createHandler(kb, { basePath: "/kb" }));
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/kb/")) return listener(request, response);
    response.end("Hello from node:http\n");
  });
  return listen(server, port);
}

await runDirectly(import.meta, start);
