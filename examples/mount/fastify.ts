// Fastify. The `onRequest` hook runs before Fastify's body parsers and limits.
import fastify from "fastify";
import type { KnowledgeBase } from "lorebase";
import { createHandler, toNodeHandler } from "lorebase/http";
import { type Running, runDirectly } from "./run.js";

export async function start(kb: KnowledgeBase, port: number): Promise<Running> {
  const app = fastify();
  const listener = toNodeHandler(createHandler(kb, { basePath: "/kb" }));
  app.all("/kb/*", { onRequest: ({ raw }, reply) => listener(raw, reply.hijack().raw) }, () => {});

  app.get("/", () => "Hello from Fastify\n");
  return { url: await app.listen({ port, host: "127.0.0.1" }), close: () => app.close() };
}

await runDirectly(import.meta, start);
