import { writeSync } from "node:fs";

// A process of the campaign: syncs a folder, until it has done or is killed.

const [library, directory, dir] = process.argv.slice(2) as [string, string, string];
const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
const kb = new KnowledgeBase({ directory, defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
/** Written before anything else happens: what has been told survives the process. */
const tell = (line: string) => void writeSync(1, `${line}\n`);
kb.on("error", ({ error }) => tell(`fault ${error}`));
await kb.start();
tell("started");
const { failed } = await (await kb.sync("campaign", { dir })).done();
tell(`done ${failed.length}`);
await kb.drain();
await kb.close();
