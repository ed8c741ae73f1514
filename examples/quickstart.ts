import { KnowledgeBase } from "lorebase";

const kb = new KnowledgeBase({ directory: ":memory:" });
await kb.namespaces.create({ name: "Handbook", slug: "handbook" });
const handbook = kb.namespace("handbook");
await (await handbook.ingest({ type: "TEXT", text: "The lamp is lit thirty minutes before sunset." })).done();
console.log(await handbook.search("When is the lamp lit?"));
await kb.close();
