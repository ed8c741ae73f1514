import { KnowledgeBase } from "lorebase";

const kb = new KnowledgeBase({ directory: "./lorebase" });
await kb.namespaces.ensure({ name: "Handbook", slug: "handbook" });
const handbook = kb.namespace("handbook");
await handbook.ingest({ type: "TEXT", text: "The lamp is lit thirty minutes before sunset." }, { dedupe: true }).done();
console.log(await handbook.search("When is the lamp lit?"));
await kb.close();
