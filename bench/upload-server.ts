import { KnowledgeBase } from "lorebase";
import { serve } from "lorebase/http";

// The measured process: serves a directory and replies to messages with the peak memory since the last one.

const SAMPLE_MS = 5;
const kb = new KnowledgeBase({ directory: process.argv[2]!, worker: false });
const server = await serve(kb, { port: 0 });
let peak = process.memoryUsage.rss();
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, SAMPLE_MS).unref();

process.on("message", () => {
  process.send!({ peak });
  peak = process.memoryUsage.rss();
});
process.on("disconnect", async () => {
  await server.close();
  await kb.close();
});
process.send!({ url: server.url });
