import fc from "fast-check";
import type { ListOptions, ListPage } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureOf, openKnowledgeBase } from "../support/knowledge-base.js";

/** A list that a test can add to and take from. */
interface Listed {
  list(options: ListOptions): Promise<ListPage<{ readonly id: string }>>;
  add(): Promise<string>;
  remove(id: string): Promise<unknown>;
}

const kb = openKnowledgeBase({ worker: false });
const payload = { type: "TEXT", text: "A text." } as const;
let made = 0;
const lists: Record<string, Listed> = {
  namespaces: {
    list: (options) => kb.namespaces.list(options),
    add: async () => (await kb.namespaces.create({ name: "Space", slug: `paged-${++made}` })).id,
    remove: (id) => kb.namespaces.delete(id),
  },
  "API keys": {
    list: (options) => kb.apiKeys.list(options),
    add: async () => (await kb.apiKeys.create({ name: "Key", scope: "read" })).id,
    remove: (id) => kb.apiKeys.delete(id),
  },
  organizations: {
    list: (options) => kb.organizations.list(options),
    add: async () => (await kb.organizations.create({ name: "Owner" })).id,
    remove: (id) => kb.organizations.delete(id),
  },
  feedback: {
    list: (options) => kb.feedback.list("filled", options),
    add: async () => (await kb.feedback.add("filled", { question: "Where?", answer: "Here.", rating: "up" })).id,
    remove: (id) => kb.feedback.delete("filled", id),
  },
  clicks: {
    list: (options) => kb.clicks.list("filled", options),
    add: async () => (await kb.clicks.add("filled", { question: "Where?", chunkId: "doc_1#0" })).id,
    remove: (id) => kb.clicks.delete("filled", id),
  },
  "golden questions": {
    list: (options) => kb.goldenQuestions.list("filled", options),
    async add() {
      const answers = [{ contains: "here" }];
      return (await kb.goldenQuestions.add("filled", { question: `Where is ${++made}?`, answers })).id;
    },
    remove: (id) => kb.goldenQuestions.delete("filled", id),
  },
  "ingest jobs": {
    list: (options) => kb.ingestJobs.list("filled", options),
    add: async () => (await kb.ingestJobs.create("filled", { payload })).id,
    remove: (id) => kb.ingestJobs.delete("filled", id).then(() => kb.drain()),
  },
  documents: {
    list: (options) => kb.documents.list("filled", options),
    async add() {
      const { id } = await kb.ingestJobs.create("filled", { payload });
      await kb.drain();
      const { items } = await kb.documents.list("filled", { ingestJobId: id });
      return items[0]!.id;
    },
    remove: (id) => kb.documents.delete("filled", id).then(() => kb.drain()),
  },
};

beforeAll(async () => {
  await kb.namespaces.create({ name: "Filled", slug: "filled" });
});
afterAll(() => kb.close());

type Step = { readonly add: number; readonly remove: readonly number[] };
const step: fc.Arbitrary<Step> = fc.record({
  add: fc.integer({ min: 0, max: 2 }),
  remove: fc.array(fc.nat(), { maxLength: 2 }),
});
const walks = fc.record({
  perPage: fc.integer({ min: 1, max: 4 }),
  order: fc.constantFrom("asc" as const, "desc" as const),
  steps: fc.array(step, { minLength: 12, maxLength: 12 }),
});

describe.each(Object.keys(lists))("%s", (name) => {
  const { list, add, remove } = lists[name]!;
  const all = async () => {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ order: "asc", perPage: 100, cursor });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return ids;
  };

  it("skips and repeats no row that lives through the walk, in both directions", async () => {
    await fc.assert(
      fc.asyncProperty(walks, async ({ perPage, order, steps }) => {
        for (let length = (await all()).length; length < 8; length++) await add();
        const gone = new Set<string>();
        const disturb = async ({ add: count, remove: picks }: Step) => {
          for (const pick of picks) {
            // Never the default organization, which is the first.
            const ids = (await all()).slice(1);
            const id = ids[pick % ids.length];
            if (id === undefined || ids.length < 6) continue;
            await remove(id);
            gone.add(id);
          }
          for (let index = 0; index < count; index++) await add();
        };
        const walk = async (direction: "forward" | "backward", start: string | undefined) => {
          const before = await all();
          gone.clear();
          const seen: string[] = [];
          let cursor = start;
          for (let at = 0; ; at++) {
            const page = await list({ order, perPage, cursor, cursorDirection: direction });
            const ids = page.items.map(({ id }) => id);
            expect(ids.length).toBeLessThanOrEqual(perPage);
            if (direction === "forward") seen.push(...ids);
            else seen.unshift(...ids);
            const next = direction === "forward" ? page.nextCursor : page.prevCursor;
            expect(page.hasMore).toBe(next !== null);
            if (at === 0 && start === undefined) expect(page.prevCursor).toBe(null);
            if (next === null) break;
            cursor = next;
            const disturbance = steps[at];
            if (disturbance) await disturb(disturbance);
          }
          expect(new Set(seen).size).toBe(seen.length);
          return { seen, survivors: before.filter((id) => !gone.has(id)), cursor };
        };

        const inOrder = (ids: readonly string[]) => (order === "asc" ? ids : ids.toReversed());
        const forward = await walk("forward", undefined);
        expect(forward.seen.filter((id) => forward.survivors.includes(id))).toEqual(inOrder(forward.survivors));
        // Back from the place where the last page began, which the rows behind it do not belong to.
        const lastPage = await list({ order, perPage, cursor: forward.cursor });
        const first = lastPage.items[0]?.id;
        if (lastPage.prevCursor === null || first === undefined) return;
        const backward = await walk("backward", lastPage.prevCursor);
        const expected = inOrder(backward.survivors);
        const ahead = forward.seen.slice(0, forward.seen.indexOf(first));
        expect(backward.seen.filter((id) => expected.includes(id) && ahead.includes(id))).toEqual(
          expected.filter((id) => ahead.includes(id)),
        );
      }),
      { numRuns: name === "documents" || name === "ingest jobs" ? 4 : 12 },
    );
  });

  it("is the same by pages as by cursors, and leads on from any page by either", async () => {
    for (let length = (await all()).length; length < 7; length++) await add();
    const ids = await all();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom("asc" as const, "desc" as const),
        fc.constantFrom("forward" as const, "backward" as const),
        async (perPage, order, cursorDirection) => {
          const seen: string[] = [];
          const pages = Math.ceil(ids.length / perPage);
          const forward = cursorDirection === "forward";
          let cursor: string | null = null;
          for (let page = 1; page <= pages; page++) {
            const request = { order, perPage, cursorDirection };
            const numbered: ListPage<{ readonly id: string }> = await list({ ...request, page });
            expect(numbered).toEqual(await list({ ...request, cursor: cursor ?? undefined }));
            const shown = numbered.items.map(({ id }) => id);
            if (forward) seen.push(...shown);
            else seen.unshift(...shown);
            cursor = forward ? numbered.nextCursor : numbered.prevCursor;
            expect(cursor === null).toBe(page === pages);
          }
          expect(seen).toEqual(order === "asc" ? ids : ids.toReversed());
          expect(await list({ order, perPage, page: pages + 1 })).toEqual({
            items: [],
            nextCursor: null,
            prevCursor: null,
            hasMore: false,
          });
        },
      ),
      { numRuns: 12 },
    );
  });

  it.each([0, 1.5, -1, 10_001])("has no page %d", async (page) => {
    const error = await failureOf(() => list({ page }));
    expect([error.code, error.issues.map(({ field }) => field)]).toEqual(["invalid_input", ["page"]]);
  });

  it("begins at a page or at a cursor, not at both", async () => {
    for (let length = (await all()).length; length < 2; length++) await add();
    const cursor = (await list({ perPage: 1 })).nextCursor!;
    const error = await failureOf(() => list({ cursor, page: 1 }));
    expect([error.code, error.issues.map(({ field }) => field)]).toEqual(["invalid_input", ["page"]]);
  });

  it("knows its first page also on the way back", async () => {
    for (let length = (await all()).length; length < 7; length++) await add();
    const first = await list({ perPage: 3 });
    const second = await list({ perPage: 3, cursor: first.nextCursor! });
    expect(second.prevCursor).not.toBe(null);
    const back = await list({ perPage: 3, cursor: second.prevCursor!, cursorDirection: "backward" });
    expect(back.items).toEqual(first.items);
    expect(back.prevCursor).toBe(null);
    expect(back.hasMore).toBe(false);
    expect(back.nextCursor).toBe(first.nextCursor);
  });

  it("refuses a cursor that was changed or that another list or order gave", async () => {
    for (let length = (await all()).length; length < 3; length++) await add();
    const cursor = (await list({ perPage: 1 })).nextCursor!;
    const foreign = await lists[name === "namespaces" ? "organizations" : "namespaces"]!.list({ perPage: 1 });
    const tampered = [
      foreign.nextCursor!,
      `x${cursor}`,
      `${cursor}!`,
      cursor.slice(0, -3),
      "e30",
      "W10",
      "%%%",
      "null",
    ];
    for (const given of tampered) {
      const error = await failureOf(() => list({ cursor: given }));
      expect(error.code, given).toBe("invalid_input");
      expect(error.issues.map(({ field }) => field)).toEqual(["cursor"]);
    }
    expect((await failureOf(() => list({ cursor, order: "asc" }))).code).toBe("invalid_input");
    expect((await list({ cursor })).items.length).toBeGreaterThan(0);
  });
});

it("refuses a cursor of another namespace's list", async () => {
  await kb.namespaces.create({ name: "Other", slug: "other" });
  for (const slug of ["filled", "other"])
    for (let index = 0; index < 3; index++) await kb.ingestJobs.create(slug, { payload });
  const { nextCursor: cursor } = await kb.ingestJobs.list("other", { perPage: 1 });
  expect((await failureOf(() => kb.ingestJobs.list("filled", { cursor: cursor! }))).code).toBe("invalid_input");
  expect((await kb.ingestJobs.list("other", { cursor: cursor! })).items).toHaveLength(2);
});
