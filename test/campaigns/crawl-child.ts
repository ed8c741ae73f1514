import { once } from "node:events";
import { writeSync } from "node:fs";

// A process of the crawl campaign: works on a job until it has ended, or until it is killed.

const [library, directory, host, namespace, job] = process.argv.slice(2) as [string, string, string, string, string];
const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
writeSync(1, "loaded\n");
await once(process.stdin, "data");
const kb = new KnowledgeBase({
  directory,
  defaultEmbedding: { provider: "MANAGED_LEXICAL" },
  network: { allowPrivateHosts: [host] },
  // Where the machine is busy, several may be killed before they have done anything.
  limits: { attempts: 1000 },
});
await kb.start();
writeSync(1, "started\n");
await (await kb.ingestJobs.watch(namespace, job)).done();
await kb.drain();
await kb.close();
writeSync(1, "done\n");
process.exit(0);
