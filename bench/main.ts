import { parseArgs } from "node:util";
import { benchEmbed } from "./embed.js";
import { benchHealth } from "./health.js";
import { benchHttp } from "./http.js";
import { benchIngest } from "./ingest.js";
import { benchObserve } from "./observe.js";
import { benchPage } from "./page.js";
import { benchParse } from "./parse.js";
import { benchPostgres } from "./postgres.js";
import { benchReembed } from "./reembed.js";
import { benchScopes } from "./scopes.js";
import { benchSearch } from "./search.js";
import { benchSizing } from "./sizing.js";
import { benchStatic } from "./static.js";
import { benchSync } from "./sync.js";
import { benchUpload } from "./upload.js";
import { benchWorkers } from "./workers.js";

const USAGE = `npm run bench -- <name> [--model DIRECTORY] [--corpora DIRECTORY] [--json]

  ingest   ingest rate, single calls, the caller's event loop, memory
  reembed  100,000 chunks embedded by another model under searches: their latency, with and without a limit, and
           the cut-over
  scopes   10,000 tenants in one file, and neighbours that must not change results
  sync     a folder of 10,000 unchanged files, and one of 1,000 files with one changed paragraph
  embed    the pipeline compared with the bare embedder; --model names a model on disk;
           --postgres writes into PostgreSQL
  static   rate and first vector of the embedder in the package
  http     keyword search over 100,000 chunks, over HTTP from a second process and in-process
  observe  what metrics and spans take from the rate of searches over 100,000 chunks
  page     a hosted page in Chromium: first load, search as you type over 100,000 chunks, first sentence
           of an answer; CHROMIUM_PATH names the browser (default: /usr/bin/chromium)
  parse    PDFs on one core in turns with pdftotext, pdf-parse, unpdf, officeparser and opendataloader (needs
           Java), Word documents with officeparser (npm install --prefix bench/peers): rate, processor time,
           memory; the import time of the library; --corpora names a folder of files, or of documents/pdf
           and documents/docx
  postgres ingest into PostgreSQL beside SQLite, statements a document, claims by four processes; needs a
           server as the tests do
  sizing   one scope in PostgreSQL: size of its tables, memory and searches of new processes;
           --chunks 1000000 (default: 100000)
  workers  ingest into PostgreSQL by one worker and by four, each with a model of its own to wait for
  health   copies planted at 1 %, with 5 to 30 % of their words changed: how many a report finds, its time and
           bytes a passage; in --corpora DIRECTORY/retrieval/*/corpus.jsonl, else in generated texts
           --chunks 100000
  upload   a file of 200 MB uploaded and downloaded over HTTP, and the server's memory
  search   vectors and keywords compared with sqlite-vec, LanceDB, Orama, vectra and MiniSearch
           (npm install --prefix bench/peers), and searches during an ingest; minutes for 100,000 rows,
           half an hour for a million
           --rows 100000,1000000        vectors (default: 100000)
           --dimensions 384,1024        the first with every number of rows, others with the first of these
                                        (default: 384,1024)
           --keyword-rows 100000        chunks of the keyword searches
           --only vectors,keywords,beside
                                        sections; beside is searches during an ingest
           --peers lorebase,sqlite-vec  only these systems
           --variants '{"name": {"open": {}, "store": {}, "search": {}}}'
                                        more Lorebase systems: options of knowledge base, vector store, searches
           --work DIRECTORY             directory of the files (default: the system's temporary directory)
           --chart docs/search.svg      writes a chart
           --from a.json,b.json         reads the --json output of earlier runs instead of measuring`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    model: { type: "string" },
    postgres: { type: "boolean", default: false },
    corpora: { type: "string" },
    chunks: { type: "string", default: "100000" },
    rows: { type: "string" },
    dimensions: { type: "string" },
    "keyword-rows": { type: "string" },
    only: { type: "string" },
    peers: { type: "string" },
    variants: { type: "string" },
    work: { type: "string" },
    chart: { type: "string" },
    from: { type: "string" },
  },
});
const [name] = positionals;
const log = (line: string) => void process.stderr.write(`${line}\n`);

const figures = await run();
if (figures === null) {
  log(USAGE);
  process.exitCode = 2;
} else {
  process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : `${JSON.stringify(rounded(figures), null, 2)}\n`);
}

function run(): Promise<object> | null {
  if (name === "ingest") return benchIngest(log);
  if (name === "reembed") return benchReembed(log);
  if (name === "scopes") return benchScopes(log);
  if (name === "sync") return benchSync(log);
  if (name === "static") return benchStatic(log);
  if (name === "http") return benchHttp(log);
  if (name === "page") return benchPage(log);
  if (name === "parse") return benchParse(values.corpora ?? null, log);
  if (name === "postgres") return benchPostgres(log);
  if (name === "workers") return benchWorkers(log);
  if (name === "sizing") return benchSizing(Number(values.chunks), log);
  if (name === "search") return benchSearch(values, log);
  if (name === "observe") return benchObserve(log);
  if (name === "health") return benchHealth(values.corpora ?? null, Number(values.chunks), log);
  if (name === "upload") return benchUpload(log);
  if (name === "embed" && values.model !== undefined)
    return benchEmbed(values.model, values.postgres ? "postgres" : "sqlite", log);
  return null;
}

function rounded(figures: object): unknown {
  return JSON.parse(
    JSON.stringify(figures, (_, value) => (typeof value === "number" ? Number(value.toPrecision(4)) : value)),
  );
}
