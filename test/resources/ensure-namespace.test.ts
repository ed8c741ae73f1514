import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { failureOf, LEXICAL, openKnowledgeBase } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";
import { keyedEmbedder, keyedStore } from "../support/secret-provider.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const HANDBOOK = { name: "Handbook", slug: "handbook" };
const KEY = "sk-0123456789abcdef-wxyz";

function open(options: Parameters<typeof openKnowledgeBase>[0] = {}) {
  const kb = openKnowledgeBase(options);
  onTestFinished(() => kb.close());
  return kb;
}

it("creates a namespace once and gets it afterwards, without changing its name", async () => {
  const { namespaces } = open();
  const made = await namespaces.ensure(HANDBOOK);
  expect(await namespaces.ensure({ name: "Other", slug: "HANDBOOK" })).toEqual(made);
  expect(await namespaces.ensure({ ...HANDBOOK, embeddingConfig: { ...LEXICAL, model: "hash-1024" } })).toEqual(made);
  expect(await namespaces.ensure({ ...HANDBOOK, vectorStoreConfig: { provider: "MANAGED_SQLITE_VEC" } })).toEqual(made);
  expect((await namespaces.list()).items).toHaveLength(1);
});

it("is a namespace of its own in each organization", async () => {
  const kb = open();
  const own = await kb.namespaces.ensure(HANDBOOK);
  await kb.organizations.create({ id: "org_other", name: "Other" });
  const other = kb.organization("org_other").namespaces;
  const theirs = await other.ensure(HANDBOOK);
  expect(theirs.id).not.toBe(own.id);
  expect(await other.ensure(HANDBOOK)).toEqual(theirs);
});

it("gives all of several processes that ask at once the same namespace", async () => {
  const directory = temporaryDirectory();
  const both = [open({ directory }), open({ directory })];
  await Promise.all(both.map((kb) => kb.start()));
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, index) => both[index % 2]!.namespaces.ensure(HANDBOOK)),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
});

it("refuses a configuration that differs, and names both values", async () => {
  const { namespaces } = open();
  await namespaces.ensure(HANDBOOK);
  const embeddingConfig = { provider: "MANAGED_STATIC" };
  const error = await failureOf(() => namespaces.ensure({ ...HANDBOOK, embeddingConfig }));
  expect(error.code).toBe("conflict");
  expect(error.message).toContain('embeddingConfig.provider is "MANAGED_LEXICAL", but "MANAGED_STATIC" was given');
});

it("refuses what is not valid whether or not the namespace exists", async () => {
  const { namespaces } = open();
  await namespaces.ensure(HANDBOOK);
  const embeddingConfig = { ...LEXICAL, unknown: 1 };
  for (const slug of ["handbook", "absent"]) {
    const error = await failureOf(() => namespaces.ensure({ name: "Handbook", slug, embeddingConfig }));
    expect(error.code).toBe("invalid_input");
  }
});

it("compares secrets without showing them, and their masks where the master key is missing", async () => {
  const { port } = await listener((_, out) => out.end("{}"));
  const directory = temporaryDirectory();
  const options = {
    directory,
    embedders: [keyedEmbedder],
    vectorStores: [keyedStore],
    network: { allowPrivateHosts: ["127.0.0.1"] },
  };
  const embeddingConfig = { provider: "KEYED", endpoint: `http://127.0.0.1:${port}/`, apiKey: KEY };
  const kb = open({ ...options, masterKey: randomBytes(32).toString("hex") });
  const made = await kb.namespaces.ensure({ ...HANDBOOK, embeddingConfig });
  expect(await kb.namespaces.ensure({ ...HANDBOOK, embeddingConfig })).toEqual(made);
  const sameEnd = { ...embeddingConfig, apiKey: KEY.replace("0123", "3210") };
  const error = await failureOf(() => kb.namespaces.ensure({ ...HANDBOOK, embeddingConfig: sameEnd }));
  expect([error.code, error.message]).toEqual(["conflict", expect.stringContaining("embeddingConfig.apiKey")]);
  expect(error.message).not.toMatch(/0123|3210|wxyz/);
  await kb.close();
  const other = open({ ...options, masterKey: randomBytes(32).toString("hex") });
  expect(await other.namespaces.ensure({ ...HANDBOOK, embeddingConfig })).toEqual(made);
  const another = { ...embeddingConfig, apiKey: "sk-0123456789abcdef-zzzz" };
  expect((await failureOf(() => other.namespaces.ensure({ ...HANDBOOK, embeddingConfig: another }))).code).toBe(
    "conflict",
  );
});
