// Express 5 and 4.
import { createServer } from "node:http";
import express from "express";
import type { KnowledgeBase } from "lorebase";
import { createHandler, toNodeHandler } from "lorebase/http";
import { listen, type Running, runDirectly } from "./run.js";

export function start(kb: KnowledgeBase, port: number, app = express()): Promise<Running> {
  // Before express.json(), which would parse uploaded JSON files.
  app.use("/kb", toNodeHandler(createHandler(kb, { basePath: "/kb" })));

  app.use(express.json());
  app.get("/", (_request, response) => void response.send("Hello from Express\n"));
  return listen(createServer(app), port);
}

await runDirectly(import.meta, start);
