import fc from "fast-check";
import { type Filter, KnowledgeBaseError, matchesFilter, parseFilter } from "lorebase";
import { describe, expect, it } from "vitest";
import type { FilterNode } from "../../../src/filter.js";
import type { VectorStore } from "../../../src/interfaces/vector-store.js";
import type { Metadata, Scope } from "../../../src/types.js";
import { newPinecone, newTurbopuffer } from "../../support/hosted-stores.js";
import { oddFilters, oddMetadata } from "../../support/odd-metadata.js";
import { propertyRuns } from "../../support/property-runs.js";

const SCOPE: Scope = { organizationId: "org_1", namespaceId: "ns_1", tenantId: "acme" };
const EVERYTHING = { vector: Float32Array.of(1, 0, 0), topK: 1000 };

async function fill(store: VectorStore, metadata: readonly Metadata[]) {
  const records = metadata.map((own, index) => {
    const documentId = `doc_${String(index).padStart(3, "0")}`;
    const shown = { ...own, documentId, namespaceId: "ns_1", tenantId: "acme", sequence_number: index % 3 };
    return {
      id: `${documentId}.1.0`,
      documentId,
      generation: 1,
      vector: Float32Array.of(1, index, 0),
      metadata: shown,
    };
  });
  await store.upsert(SCOPE, records);
  return records;
}

async function agrees(store: VectorStore, records: Awaited<ReturnType<typeof fill>>, filter: FilterNode) {
  const found = await store.query(SCOPE, { ...EVERYTHING, filter });
  const expected = records.filter(({ metadata }) => matchesFilter(filter, metadata));
  expect(found.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
}

/** Strings that a filter's ranges compare with. */
function bounds(node: FilterNode): readonly string[] {
  if (node.op === "and" || node.op === "or") return node.nodes.flatMap(bounds);
  if (node.op === "not") return bounds(node.node);
  return node.op === "range" && typeof node.value === "string" ? [node.value] : [];
}

const STORES = [
  { vendor: "Pinecone", open: async () => (await newPinecone()).store, longest: 29 },
  { vendor: "Turbopuffer", open: async () => (await newTurbopuffer()).store, longest: 508 },
];

describe.each(STORES)("$vendor", ({ vendor, open, longest }) => {
  it("filters as the oracle does", async () => {
    const store = await open();
    const seed = Date.now();
    const records = await fill(store, fc.sample(oddMetadata, { numRuns: 40, seed }));
    await fc.assert(
      fc.asyncProperty(oddFilters(["doc_003", "ns_1", "acme"]), async (given) => {
        const filter = parseFilter(given as Filter);
        store.checkFilter?.(filter);
        await agrees(store, records, filter);
      }),
      { numRuns: propertyRuns(100), seed },
    );
  });

  it("orders strings by code point as far as it says, and refuses what is longer", async () => {
    const store = await open();
    const texts = fc.array(fc.constantFrom("a", "b", "é", "～", "😀", "\0", "\ud800"), { maxLength: longest + 4 });
    const ends = fc.constantFrom("a".repeat(longest), "a".repeat(longest + 1), "é".repeat(300), "😀".repeat(140));
    const text = fc.oneof(
      texts.map((parts) => parts.join("")),
      ends,
    );
    const seed = Date.now();
    const values = fc.sample(text, { numRuns: 40, seed });
    const records = await fill(
      store,
      values.map((a) => ({ a })),
    );
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(text, fc.constantFrom(...values)),
        fc.constantFrom("$gt", "$gte", "$lt", "$lte"),
        fc.boolean(),
        async (bound, operator, negated) => {
          const condition = { a: { [operator]: bound } };
          const filter = parseFilter((negated ? { $not: condition } : condition) as Filter);
          const tooLong = bounds(filter).some((value) => Buffer.byteLength(value) > longest);
          if (!tooLong) return agrees(store, records, filter);
          refused++;
          const named = `filter.a.${operator}: ${vendor} `;
          for (const attempt of [async () => store.checkFilter?.(filter), () => agrees(store, records, filter)]) {
            const error = await attempt().then(
              () => null,
              (failure: unknown) => failure,
            );
            expect(KnowledgeBaseError.is(error, "unsupported")).toBe(true);
            expect(error).toMatchObject({ message: expect.stringContaining(named), retryable: false });
          }
        },
      ),
      { numRuns: propertyRuns(80), seed },
    );
    expect(refused).toBeGreaterThan(0);
  });
});
