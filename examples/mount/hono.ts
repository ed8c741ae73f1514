// Hono, which uses Request and Response like the handler.
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { KnowledgeBase } from "lorebase";
import { createHandler } from "lorebase/http";
import { listen, type Running, runDirectly } from "./run.js";

export function start(kb: KnowledgeBase, port: number): Promise<Running> {
  const app = new Hono();
  app.mount("/kb", createHandler(kb, { basePath: "/kb" }));

  app.get("/", (context) => context.text("Hello from Hono\n"));
  return listen(createAdaptorServer({ fetch: app.fetch }) as Server, port);
}

await runDirectly(import.meta, start);
