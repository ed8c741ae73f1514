import { isDeepStrictEqual } from "node:util";
import type { KnowledgeBase, NamespaceHandle } from "lorebase";
import { collect } from "#dist/util/collect.js";
import { type Random, seededRandom } from "./random.js";

export interface LeakCampaign {
  /** Needs the vector stores to use, besides the built-in one. */
  readonly kb: KnowledgeBase;
  /** Corpora are kept in each of them, in turn. */
  readonly vectorStores: readonly string[];
  readonly corpora: number;
  readonly seed: number;
  readonly onCorpus?: (done: number) => void;
}

const PRINCIPALS = ["user:1", "user:2", "group:eng", "group:ops"];
const WORDS = [
  ...["lamp", "lamps", "harbour", "fog", "pier", "boats", "nights", "rope", "keeper", "lighting"],
  ...["Leuchtturm", "Leuchttürme", "Nebel", "der", "маяк", "маяки", "туман", "灯台", "faro", "İstanbul"],
];
const MODES = ["keyword", "semantic", "hybrid"] as const;
const FILTERS = [undefined, { year: 1 }, { $not: { year: 1 } }, { tags: "red", year: [1, 2] }];
const CHANGES = 4;
/** A corpus in so many is so large that its words are in a table of their own, and its vectors are scanned. */
const LARGE_EVERY = 100;
const LARGE_DOCUMENTS = 1100;

interface Held {
  readonly id: string;
  readonly externalId: string;
  readonly isVisible: boolean;
}

/**
 * Makes corpora of which a caller with principals sees a part, changes documents of the other part, and compares
 * everything that the caller can ask for before and after.
 */
export async function leakCampaign({ kb, vectorStores, corpora, seed, onCorpus }: LeakCampaign) {
  const faults: string[] = [];
  const compared = { views: 0, changes: 0 };
  for (let corpus = 0; corpus < corpora; corpus++) {
    const random = seededRandom(seed + corpus);
    const provider = vectorStores[corpus % vectorStores.length]!;
    const name = `leaks-${seed}-${corpus}`;
    const { id } = await kb.namespaces.create({ name, slug: name, vectorStoreConfig: { provider } });
    const handle = kb.namespace(id);
    const principals = PRINCIPALS.filter(() => random.next() < 0.4);
    let documents = await fill(handle, random, principals, corpus % LARGE_EVERY === LARGE_EVERY - 1);
    const bound = handle.visibleTo(principals);
    const visible = documents.filter(({ isVisible }) => isVisible).slice(0, 8);
    const asked = Array.from({ length: 6 }, () => askedBy(random));
    const before = await viewOf(bound, visible, asked);
    for (let change = 0; change < CHANGES; change++) {
      const made = await changeHidden(handle, random, principals, documents, change);
      documents = made.documents;
      await kb.drain();
      const after = await viewOf(bound, visible, asked);
      compared.views++;
      compared.changes += made.count;
      for (const [part, value] of Object.entries(before)) {
        if (isDeepStrictEqual(after[part], value)) continue;
        faults.push(`corpus ${corpus} in ${provider}, after change ${change}: ${part}`);
        faults.push(JSON.stringify(value), JSON.stringify(after[part]));
      }
    }
    await kb.namespaces.delete(id);
    onCorpus?.(corpus + 1);
  }
  return { ...compared, faults };
}

function textOf(random: Random): string {
  const sentence = () => Array.from({ length: random.integer(1, 9) }, () => random.pick(WORDS)).join(" ");
  const paragraphs = Array.from({ length: random.integer(1, 3) }, sentence);
  return random.next() < 0.3 ? `# ${random.pick(WORDS)}\n\n${paragraphs.join("\n\n")}` : paragraphs.join(". ");
}

/** Readers of whom the principals are one, or of whom they are none. */
function readersOf(random: Random, principals: readonly string[], isVisible: boolean): readonly string[] | undefined {
  const others = PRINCIPALS.filter((principal) => !principals.includes(principal)).filter(() => random.next() < 0.5);
  if (!isVisible) return others;
  if (principals.length === 0 || random.next() < 0.4) return undefined;
  return [random.pick(principals), ...others];
}

function newDocument(random: Random, principals: readonly string[], isVisible: boolean) {
  const allow = readersOf(random, principals, isVisible);
  const tags = ["red", "blue", "green"].filter(() => random.next() < 0.5);
  const own = isVisible ? {} : { [`hidden${random.integer(1, 5)}`]: random.integer(1, 9) };
  const config = {
    metadata: { year: random.integer(1, 3), tags, ...own },
    ...(random.next() < 0.2 && { chunkSize: 32, maxChunkSize: 64 }),
    ...(allow && { allow }),
  };
  return { payload: { type: "TEXT" as const, text: textOf(random), fileName: "text.md" }, config };
}

async function fill(
  handle: NamespaceHandle,
  random: Random,
  principals: readonly string[],
  isLarge: boolean,
): Promise<readonly Held[]> {
  const count = isLarge ? 12 : random.integer(4, 12);
  if (isLarge) {
    const items = Array.from({ length: LARGE_DOCUMENTS }, (_, index) => {
      const { payload, config } = newDocument(random, principals, index % 3 > 0);
      return { ...payload, config };
    });
    for (const part of [items.slice(0, 900), items.slice(900)])
      await handle.ingest({ type: "BATCH", items: part }).done({ throwOnFailure: true });
  }
  const documents: Held[] = [];
  for (let index = 0; index < count; index++)
    documents.push(await ingest(handle, random, principals, { externalId: `d${index}`, isVisible: index % 2 === 0 }));
  return documents;
}

async function ingest(
  handle: NamespaceHandle,
  random: Random,
  principals: readonly string[],
  { externalId, isVisible }: Pick<Held, "externalId" | "isVisible">,
): Promise<Held> {
  const { payload, config } = newDocument(random, principals, isVisible);
  const job = { externalId, onConflict: "replace" } as const;
  const { id: jobId } = await handle.ingest(payload, { ...config, ...job }).done({ throwOnFailure: true });
  const { id } = (await handle.documents.list({ ingestJobId: jobId })).items[0]!;
  return { id, externalId, isVisible };
}

/** Adds, edits, deletes documents that the principals don't see, and lets other principals see them. */
async function changeHidden(
  handle: NamespaceHandle,
  random: Random,
  principals: readonly string[],
  documents: readonly Held[],
  change: number,
) {
  const held = [...documents];
  const count = random.integer(1, 3);
  for (let index = 0; index < count; index++) {
    const hidden = held.filter(({ isVisible }) => !isVisible);
    const target = hidden.length === 0 ? null : random.pick(hidden);
    const kind = target === null ? "add" : random.pick(["add", "edit", "delete", "allow"]);
    const others = readersOf(random, principals, false)!;
    if (kind === "add") {
      const externalId = `added${change}-${index}`;
      held.push(await ingest(handle, random, principals, { externalId, isVisible: false }));
    } else if (kind === "edit") await ingest(handle, random, principals, target!);
    else if (kind === "allow") await handle.documents.update(target!.id, { allow: others });
    else {
      await handle.documents.delete(target!.id);
      held.splice(held.indexOf(target!), 1);
    }
  }
  return { documents: held, count };
}

function askedBy(random: Random) {
  const words = Array.from({ length: random.integer(1, 4) }, () => random.pick(WORDS));
  const query = random.pick([words.join(" "), `${words[0]!.slice(0, 3)}*`, `"${words.slice(0, 2).join(" ")}"`]);
  const filter = random.pick(FILTERS);
  const keywordFilter = random.next() < 0.2 ? random.pick(WORDS) : undefined;
  const options = {
    ...{ topK: random.integer(1, 12), mode: random.pick(MODES) },
    ...(filter && { filter }),
    ...(keywordFilter && { keywordFilter }),
    ...(random.next() < 0.3 && { perDocument: 1 }),
    ...(random.next() < 0.3 && { fusion: "rrf" as const }),
  };
  return { query, options };
}

/** Everything that a caller can ask for, by the kind of call. */
async function viewOf(
  handle: NamespaceHandle,
  visible: readonly Held[],
  asked: readonly ReturnType<typeof askedBy>[],
): Promise<Readonly<Record<string, unknown>>> {
  const view: Record<string, unknown> = {};
  for (const [index, { query, options }] of asked.entries()) {
    const more = { includeHighlights: true, includeRelationships: true, explain: true };
    view[`search ${index}: ${query} ${JSON.stringify(options)}`] = await handle.search(query, { ...options, ...more });
    const { filter, mode, ...rest } = options;
    const keys = ["year", "tags", "filename", "headings", "hidden1", "hidden2"];
    view[`facets ${index}`] = await handle.facets(keys, { ...(filter && { filter }), limit: 20 });
    view[`answer ${index}`] = await handle.ask(query, { ...rest, ...(filter && { filter }), searchMode: mode });
    const document = visible[index % visible.length];
    if (document) view[`explanation ${index}`] = await handle.explain(query, { ...options, documentId: document.id });
  }
  for (const order of ["asc", "desc"] as const) {
    let cursor: string | undefined;
    for (let page = 1; page <= 4; page++) {
      const listed = await handle.documents.list({ order, perPage: 2, ...(cursor && { cursor }) });
      view[`page ${page} ${order}`] = listed;
      cursor = listed.nextCursor ?? undefined;
      if (cursor === undefined) break;
    }
    view[`second page ${order}`] = await handle.documents.list({ order, perPage: 3, page: 2 });
  }
  for (const { id } of visible) {
    view[`document ${id}`] = await handle.documents.get(id);
    view[`text ${id}`] = await handle.documents.text(id);
    view[`chunks ${id}`] = await collect(handle.documents.chunks(id));
  }
  return view;
}
