import { once } from "node:events";
import { KnowledgeBase } from "lorebase";
import { remoteEmbedder } from "./remote-embedder.js";

// A worker of the benchmark: runs jobs until its standard input ends.
const kb = new KnowledgeBase({
  ...{ database: process.argv[2]!, masterKey: "11".repeat(32), sharedDirectory: true },
  embedders: [remoteEmbedder()],
});
await kb.start();
process.stdout.write("ready\n");
await once(process.stdin.resume(), "end");
await kb.close();
