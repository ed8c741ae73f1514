import { pathToFileURL } from "node:url";

// A server of the campaign with full disks: `disk-full-child.ts <dist> <directory>`. Prints its address and its key.
const [dist, directory] = process.argv.slice(2) as [string, string];
const load = (module: string) => import(pathToFileURL(`${dist}/${module}`).href);
const { KnowledgeBase } = (await load("index.js")) as typeof import("lorebase");
const { serve } = (await load("http/index.js")) as typeof import("lorebase/http");
const kb = new KnowledgeBase({
  directory,
  defaultEmbedding: { provider: "MANAGED_LEXICAL" },
  network: { allowPrivateHosts: ["127.0.0.1"] },
});
const warnings: string[] = [];
kb.on("warning", ({ message }) => warnings.push(message));
kb.on("error", () => {});
await kb.start();
const { url } = await serve(kb, { port: 0 });
const keys = await kb.apiKeys.list({ perPage: 1 });
const key = keys.items.length > 0 ? null : (await kb.apiKeys.create({ name: "campaign", scope: "admin" })).key;
console.log(JSON.stringify({ url, key }));
process.on("message", (message) => {
  if (message === "warnings") process.send!(warnings.splice(0));
});
