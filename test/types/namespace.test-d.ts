import type {
  Chunk,
  EngineMetadata,
  Filter,
  IngestJob,
  IngestRun,
  JsonValue,
  KnowledgeDocument,
  Metadata,
  NamespaceHandle,
  SearchHit,
  SyncResult,
} from "lorebase";
import { KnowledgeBase } from "lorebase";
import { expectTypeOf, test } from "vitest";

type Notice = { readonly year: number; readonly area: string; readonly tags: string[]; readonly draft?: boolean };

const kb = new KnowledgeBase();
const notices = kb.namespace<Notice>("notices");
const untyped = kb.namespace("notices");

test("a handle carries its metadata type", () => {
  expectTypeOf(notices).toEqualTypeOf<NamespaceHandle<Notice>>();
  expectTypeOf(notices.tenant("acme")).toEqualTypeOf<NamespaceHandle<Notice>>();
  expectTypeOf(untyped).toEqualTypeOf<NamespaceHandle<Metadata>>();
  expectTypeOf(kb.organization("org_1").namespace<Notice>("notices")).toEqualTypeOf<NamespaceHandle<Notice>>();
});

test("filters know the metadata's keys and their values", () => {
  void notices.search("", { filter: { year: 2024 } });
  void notices.search("", { filter: { year: [2024, 2025], area: { $in: ["cove"] } } });
  void notices.search("", { filter: { year: { $gte: 2024, $not: { $eq: 2025 } }, draft: { $exists: false } } });
  void notices.search("", { filter: { $or: [{ area: "cove" }, { $not: { tags: { $all: ["ice", "path"] } } }] } });
  // An array is matched by one of its elements.
  void notices.search("", { filter: { tags: "ice" } });

  // @ts-expect-error no such key
  void notices.search("", { filter: { yaer: 2024 } });
  // @ts-expect-error no such key, inside a condition
  void notices.search("", { filter: { $and: [{ yaer: 2024 }] } });
  // @ts-expect-error a number is compared with a number
  void notices.search("", { filter: { year: "2024" } });
  // @ts-expect-error also in a list
  void notices.search("", { filter: { year: { $in: ["2024"] } } });
  // @ts-expect-error no such operator
  void notices.search("", { filter: { area: { $regex: "co" } } });
  // @ts-expect-error no such operator between conditions
  void notices.search("", { filter: { $xor: [{ year: 2024 }] } });
  // @ts-expect-error booleans have no order
  void notices.search("", { filter: { draft: { $gt: false } } });
  // @ts-expect-error null is no value; that is what $exists is for
  void notices.search("", { filter: { area: null } });
  // @ts-expect-error $exists takes true or false
  void notices.search("", { filter: { area: { $exists: 1 } } });
});

test("filters know the engine's keys, whatever the metadata", () => {
  void notices.search("", { filter: { filename: "a.pdf", page_number: { $lte: 3 }, headings: "Fees" } });
  void untyped.search("", { filter: { filename: "a.pdf", anything: true } });
  expectTypeOf<{ readonly documentId: string }>().toExtend<Filter<Notice>>();
  // @ts-expect-error a page has a number
  void notices.search("", { filter: { page_number: "3" } });
});

test("a key of the caller's replaces the engine's key of that name", () => {
  const renamed = kb.namespace<{ readonly path: number }>("renamed");
  void renamed.search("", { filter: { path: { $gt: 3 } } });
  // @ts-expect-error the caller's `path` is a number
  void renamed.search("", { filter: { path: "docs/a.md" } });
});

test("search gives hits with the caller's metadata and the engine's", () => {
  expectTypeOf(notices.search("ice")).resolves.toEqualTypeOf<readonly SearchHit<Notice>[]>();
  expectTypeOf(kb.search<Notice>("notices", "ice")).resolves.toEqualTypeOf<readonly SearchHit<Notice>[]>();
  expectTypeOf<SearchHit<Notice>["metadata"]>().toEqualTypeOf<(Notice & EngineMetadata) | undefined>();
  type HitMetadata = NonNullable<SearchHit<Notice>["metadata"]>;
  expectTypeOf<HitMetadata["year"]>().toEqualTypeOf<number>();
  expectTypeOf<HitMetadata["page_number"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<NonNullable<SearchHit["metadata"]>["color"]>().toEqualTypeOf<JsonValue>();
});

test("search options are checked", () => {
  void notices.search("", { mode: "hybrid", topK: 5, fusion: "rrf", signal: AbortSignal.timeout(1000) });
  // @ts-expect-error no such mode
  void notices.search("", { mode: "fuzzy" });
  // @ts-expect-error no such option
  void notices.search("", { limit: 5 });
  // @ts-expect-error a query is a string
  void notices.search(["ice"]);
});

test("ingest takes payloads, paths and bytes", () => {
  const metadata = { year: 2024, area: "cove", tags: [] };
  void notices.ingest({ type: "TEXT", text: "Path closed." }, { metadata, chunkSize: 400, externalId: "a" });
  void notices.ingest({ type: "BATCH", items: [{ type: "TEXT", text: "Path closed.", config: { metadata } }] });
  void notices.ingest({ type: "CRAWL", url: "https://example.com", limit: 20 });
  void notices.ingest({ type: "YOUTUBE", urls: ["https://www.youtube.com/watch?v=1"] });
  void notices.ingest({ file: "handbook.pdf" });
  void notices.ingest({ file: { name: "a.txt", body: new Uint8Array() } });
  void notices.ingest({ files: "docs/**/*.md" }, { dedupe: true });
  void notices.ingest({ files: ["a.md", { name: "b.txt", body: new Blob(["text"]) }] });

  // @ts-expect-error metadata of another type
  void notices.ingest({ type: "TEXT", text: "Path closed." }, { metadata: { year: "2024" } });
  // @ts-expect-error a text needs its text
  void notices.ingest({ type: "TEXT" });
  // @ts-expect-error no such type
  void notices.ingest({ type: "MARKDOWN", text: "# Path" });
  // @ts-expect-error bytes need a name
  void notices.ingest({ file: new Uint8Array() });
  // @ts-expect-error no such option
  void notices.ingest({ file: "handbook.pdf" }, { chunkLength: 400 });
});

test("work is awaited in one expression or in two", () => {
  const input = { file: "handbook.pdf" } as const;
  expectTypeOf(notices.ingest(input)).resolves.toEqualTypeOf<IngestRun<Notice>>();
  expectTypeOf(notices.ingest(input).done()).resolves.toEqualTypeOf<IngestJob<Notice>>();
  expectTypeOf(notices.ingest(input).then((run) => run.done())).resolves.toEqualTypeOf<IngestJob<Notice>>();
  expectTypeOf(notices.sync({ dir: "docs" }).done()).resolves.toEqualTypeOf<SyncResult<Notice>>();
  expectTypeOf(notices.ingestJobs.reingest("job_1").done()).resolves.toEqualTypeOf<IngestJob<Notice>>();
  expectTypeOf(kb.ingest<Notice>("notices", input).done()).resolves.toEqualTypeOf<IngestJob<Notice>>();
  // @ts-expect-error no such option
  void notices.ingest(input).done({ throwOnError: true });
});

test("documents and chunks carry the metadata type", () => {
  expectTypeOf(notices.documents.get("doc_1")).resolves.toEqualTypeOf<KnowledgeDocument<Notice>>();
  expectTypeOf(notices.documents.chunks("doc_1")).toExtend<AsyncIterable<Chunk<Notice>>>();
  expectTypeOf<Chunk<Notice>["metadata"]>().toEqualTypeOf<Notice & EngineMetadata>();
});

test("records are read-only", () => {
  const [hit] = [] as SearchHit<Notice>[];
  // @ts-expect-error a hit is not changed
  if (hit) hit.score = 1;
});
