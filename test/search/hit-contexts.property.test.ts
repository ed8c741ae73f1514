import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { estimateTokens } from "#dist/net/estimate-tokens.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

const sentence = fc.array(fc.constantFrom("lamp", "harbour", "fog", "pier", "boat"), { minLength: 6, maxLength: 12 });
const documents = fc.array(fc.array(sentence, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 4 });
const searches = fc.record({
  query: fc.constantFrom("lamp", "fog pier", "boat harbour"),
  topK: fc.integer({ min: 1, max: 12 }),
  neighbourTokens: fc.integer({ min: 1, max: 300 }),
});

it("contexts extend hits by whole neighbours as far as tokens allow, and merge hits without repeating text", async () => {
  await fc.assert(
    fc.asyncProperty(documents, fc.array(searches, { minLength: 1, maxLength: 4 }), async (given, asked) => {
      const handle = await newNamespace(kb);
      const items = given.map((sentences, index) => ({
        type: "TEXT" as const,
        text: sentences.map((words) => `${words.join(" ")} ${index}.`).join("\n\n"),
      }));
      const config = { chunkSize: 32, chunkOverlap: 0 };
      const job = await handle.ingest({ type: "BATCH", items }, config).done({ throwOnFailure: true });
      const texts = new Map<string, string>();
      for await (const { id } of handle.documents.iterate({ ingestJobId: job.id }))
        texts.set(id, (await handle.documents.text(id)).text);
      for (const { query, topK, neighbourTokens } of asked) {
        const plain = await handle.search(query, { topK });
        const hits = await handle.search(query, { topK, neighbourTokens });
        const ids = plain.map(({ id }) => id);
        expect(hits.flatMap(({ context }) => context!.hits).toSorted()).toEqual(ids.toSorted());
        expect(hits.map(({ id }) => ids.indexOf(id))).toEqual(
          hits.map(({ id }) => ids.indexOf(id)).toSorted((a, b) => a - b),
        );
        const taken = new Map<string, { start: number; end: number }[]>();
        for (const { id, context, metadata, range } of hits) {
          const { text, range: extended, hits: merged } = context!;
          const documentId = metadata!.documentId;
          expect(text).toBe(texts.get(documentId)!.slice(extended.start, extended.end));
          expect(extended.start).toBeLessThanOrEqual(range!.start);
          expect(extended.end).toBeGreaterThanOrEqual(range!.end);
          expect(merged[0]).toBe(id);
          const isAlone = extended.start === range!.start && extended.end === range!.end;
          if (!isAlone) expect(estimateTokens(text)).toBeLessThanOrEqual(neighbourTokens);
          for (const other of plain.filter((hit) => merged.includes(hit.id))) {
            expect(extended.start).toBeLessThanOrEqual(other.range!.start);
            expect(extended.end).toBeGreaterThanOrEqual(other.range!.end);
          }
          for (const earlier of taken.get(documentId) ?? [])
            expect(earlier.end <= extended.start || earlier.start >= extended.end).toBe(true);
          taken.set(documentId, [...(taken.get(documentId) ?? []), extended]);
        }
        const all = await handle.search(query, { topK, neighbourTokens: 100_000 });
        for (const { context, metadata } of all)
          expect(context!.text.trim()).toBe(texts.get(metadata!.documentId)!.trim());
      }
    }),
    { numRuns: propertyRuns(10) },
  );
});
