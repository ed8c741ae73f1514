import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { InterfaceError } from "./support/interface-client.js";
import { type InterfaceSession, startSession } from "./support/interface-session.js";
import type { Document, IngestJob, List } from "./support/interface-types.js";

const JOBS = 65;

let session: InterfaceSession;
let namespace: string;
/** Ids in order of creation. */
const ids: string[] = [];
beforeAll(async () => {
  session = await startSession();
  namespace = (await session.newNamespace()).id;
  const { client } = session;
  for (let place = 0; place < JOBS; place++) {
    // Every tenth has a source that must not be fetched.
    const payload =
      place % 10 === 9
        ? { type: "FILE", fileUrl: "http://10.0.0.1/refused.txt" }
        : { type: "TEXT", text: `Text number ${place}.` };
    ids.push((await client.createIngestJob(namespace, { payload })).id);
  }
  await session.server.kb.drain();
});
afterEach(() => expect(session.checks.faults).toEqual([]));
afterAll(() => session.server.close());

type Query = Readonly<Record<string, string | number>>;
type Lister = (query: Query) => Promise<List<IngestJob | Document>>;
const jobs: Lister = (query) => session.client.listIngestJobs(namespace, query);
const documents: Lister = (query) => session.client.listDocuments(namespace, query);
const idsOf = ({ data }: List<{ readonly id: string }>) => data.map(({ id }) => id);
const newestFirst = () => ids.toReversed();

it.each([
  ["desc", 30],
  ["asc", 30],
  ["desc", 13],
  ["asc", 65],
  ["desc", 7],
] as const)("walks all jobs there and back, %s, %i a page", async (order, perPage) => {
  const expected = order === "asc" ? ids : newestFirst();
  const there: string[][] = [];
  let page = await jobs({ order, perPage });
  expect(page.pagination.prevCursor).toBe(null);
  for (;;) {
    there.push(idsOf(page));
    expect(page.pagination.hasMore).toBe(page.pagination.nextCursor !== null);
    if (page.pagination.nextCursor === null) break;
    page = await jobs({ order, perPage, cursor: page.pagination.nextCursor });
    expect(page.pagination.prevCursor).not.toBe(null);
  }
  expect(there.flat()).toEqual(expected);
  const back = [idsOf(page)];
  while (page.pagination.prevCursor !== null) {
    const { prevCursor: cursor } = page.pagination;
    page = await jobs({ order, perPage, cursor, cursorDirection: "backward" });
    back.unshift(idsOf(page));
  }
  expect(back).toEqual(there);
});

it("returns the 30 newest by default, newest first", async () => {
  expect(idsOf(await jobs({}))).toEqual(newestFirst().slice(0, 30));
  expect(idsOf(await jobs({ orderBy: "createdAt", order: "desc", perPage: 30 }))).toEqual(idsOf(await jobs({})));
});

it("accepts page, pageSize, sortBy and sortOrder as aliases", async () => {
  const all = ids.slice();
  for (const page of [1, 2, 3, 4]) {
    const aliased = await jobs({ page, pageSize: 20, sortBy: "createdAt", sortOrder: "asc" });
    expect(idsOf(aliased)).toEqual(all.slice((page - 1) * 20, page * 20));
    expect(aliased.pagination.hasMore).toBe(page < 4);
    expect(aliased.pagination.prevCursor === null).toBe(page === 1);
  }
  expect(idsOf(await jobs({ page: 9, pageSize: 20 }))).toEqual([]);
  expect(idsOf(await jobs({ perPage: 5, pageSize: 50 }))).toHaveLength(5);
  const second = await jobs({ page: 2, perPage: 10 });
  const third = await jobs({ cursor: second.pagination.nextCursor!, perPage: 10 });
  expect(idsOf(third)).toEqual(newestFirst().slice(20, 30));
});

it("filters by status", async () => {
  const failed = ids.filter((_, place) => place % 10 === 9);
  for (const list of [jobs, documents]) {
    expect((await list({ statuses: "FAILED", perPage: 100 })).data).toHaveLength(failed.length);
    expect((await list({ statuses: "COMPLETED,FAILED", perPage: 100 })).data).toHaveLength(JOBS);
    expect((await list({ statuses: "PROCESSING,DELETING" })).data).toEqual([]);
  }
  expect(idsOf(await jobs({ statuses: "FAILED" }))).toEqual(failed.toReversed());
  const first = await jobs({ statuses: "FAILED", perPage: 4 });
  const rest = await jobs({ statuses: "FAILED", perPage: 4, cursor: first.pagination.nextCursor! });
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(failed.toReversed());
});

it("filters documents by job", async () => {
  for (const ingestJobId of [ids[0]!, ids[9]!]) {
    const { data } = await session.client.listDocuments(namespace, { ingestJobId });
    expect(data.map((document) => document.ingestJobId)).toEqual([ingestJobId]);
  }
  expect((await documents({ ingestJobId: "job_unknown" })).data).toEqual([]);
});

const refusal = (query: Query, list = jobs) =>
  list(query).then(
    () => null,
    (error: InterfaceError) => error.status,
  );

it("accepts page sizes from 1 to 100", async () => {
  expect(idsOf(await jobs({ perPage: 1 }))).toHaveLength(1);
  expect(idsOf(await jobs({ perPage: 100 }))).toHaveLength(JOBS);
  for (const perPage of [0, 101, -1, 1.5, "many"])
    for (const name of ["perPage", "pageSize"]) expect(await refusal({ [name]: perPage })).toBe(422);
  for (const page of [0, -1, "first"]) expect(await refusal({ page })).toBe(422);
});

it("refuses other orders, directions and statuses", async () => {
  for (const query of [{ order: "up" }, { orderBy: "name" }, { cursorDirection: "left" }, { statuses: "DONE" }])
    for (const list of [jobs, documents]) expect(await refusal(query as unknown as Query, list)).toBe(422);
});

it("accepts only a cursor of the same list and order", async () => {
  const { nextCursor } = (await jobs({ order: "asc", perPage: 5 })).pagination;
  const cursor = nextCursor!;
  expect(await refusal({ order: "asc", cursor })).toBe(null);
  expect(await refusal({ order: "desc", cursor })).toBe(400);
  expect(await refusal({ order: "asc", cursor }, documents)).toBe(400);
});

it("lists all namespaces, or pages on request", async () => {
  const { client, newNamespace } = session;
  const made = [namespace];
  for (let count = 0; count < 34; count++) made.push((await newNamespace()).id);
  const whole = await client.listNamespaces();
  expect(idsOf(whole)).toEqual(made.toReversed());
  expect(whole.pagination).toEqual({ nextCursor: null, prevCursor: null, hasMore: false });
  const first = await client.listNamespaces({ perPage: 20, order: "asc" });
  const cursor = first.pagination.nextCursor!;
  const second = await client.listNamespaces({ perPage: 20, order: "asc", cursor });
  expect([...idsOf(first), ...idsOf(second)]).toEqual(made);
});
