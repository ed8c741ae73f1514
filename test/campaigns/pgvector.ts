import { parseArgs } from "node:util";
import { postgresSessions } from "#dist/vector-stores/pgvector/postgres-sessions.js";
import { PgvectorServer } from "../support/pgvector.js";
import { pgvectorCampaign } from "./pgvector-campaign.js";

// npm run campaign:pgvector -- [--vectors 20000] [--dimensions 384] [--queries 100] [--data texts] [--seed 1]
//   [--url postgres://…/empty-database, instead of PGlite in this process]
const { values } = parseArgs({
  options: {
    vectors: { type: "string", default: "20000" },
    dimensions: { type: "string", default: "384" },
    queries: { type: "string", default: "100" },
    data: { type: "string", default: "texts" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    url: { type: "string" },
  },
});
const [vectors, dimensions, queries, seed] = [values.vectors, values.dimensions, values.queries, values.seed].map(
  Number,
) as [number, number, number, number];
const data = values.data === "uniform" ? "uniform" : "texts";
const server = values.url === undefined ? await PgvectorServer.start() : null;
const sessions = server?.sessions() ?? (await postgresSessions(values.url!));
console.log(JSON.stringify({ vectors, dimensions, queries, data, seed, server: sessions.address }));
const { buildSeconds, figures } = await pgvectorCampaign({ sessions, vectors, dimensions, queries, seed, data });
console.log(JSON.stringify({ buildSeconds }));
for (const figure of figures) console.log(JSON.stringify(figure));
await sessions.close();
await server?.close();
const answers = figures.filter(({ search }) => search !== "index alone");
if (answers.some(({ recall, fewest, expected }) => recall < 0.95 || fewest < expected)) process.exitCode = 1;
