import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manualClock } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyApiKey } from "#dist/resources/api-keys.js";
import { writeDatabase } from "../support/database.js";
import { failureOf } from "../support/knowledge-base.js";
import { onlySqlite } from "../support/only-sqlite.js";
import { type OpenEngine, openEngine } from "../support/open-engine.js";
import { storedBytes } from "../support/stored-bytes.js";

const clock = manualClock();
let open: OpenEngine;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lorebase-owners-"));
  open = await openEngine({ directory, clock: () => new Date(clock.now()) });
});
afterAll(async () => {
  await open.close();
  await rm(directory, { recursive: true });
});

describe("API keys", () => {
  it("are shown once and kept as a digest", async () => {
    const { apiKeys } = open.organization();
    const { key, ...made } = await apiKeys.create({ name: "Reader", scope: "read" });
    expect(key).toMatch(/^lb_[A-Za-z0-9_-]{43}$/);
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      organizationId: open.organization().id,
      name: "Reader",
      scope: "read",
      lastFour: key.slice(-4),
      createdAt: expect.any(String),
      lastUsedAt: null,
      principals: null,
    });
    expect(await apiKeys.get(made.id)).toEqual(made);
    for (const shown of [
      await apiKeys.get(made.id),
      (await apiKeys.list()).items,
      await apiKeys.update(made.id, { name: "R" }),
    ])
      expect(JSON.stringify(shown)).not.toContain(key);
    const stored = [...storedBytes(directory).values()];
    expect(stored.some((bytes) => bytes.includes(made.id))).toBe(true);
    expect(stored.some((bytes) => bytes.includes(key.slice(3)))).toBe(false);
  });

  it("open what they were made for, until they are revoked", async () => {
    const { apiKeys } = open.organization();
    const { key, id } = await apiKeys.create({ name: "Writer", scope: "write" });
    expect(await verifyApiKey(open.engine, key)).toMatchObject({ id, scope: "write" });
    // The note is written beside the answer.
    await expect.poll(async () => (await apiKeys.get(id)).lastUsedAt).not.toBe(null);
    for (const wrong of ["", "lb_", `${key}x`, key.slice(0, -1), key.toUpperCase(), id])
      expect(await verifyApiKey(open.engine, wrong)).toBe(null);
    expect((await apiKeys.delete(id)).id).toBe(id);
    expect(await verifyApiKey(open.engine, key)).toBe(null);
    expect((await failureOf(() => apiKeys.delete(id))).code).toBe("not_found");
  });

  onlySqlite("a trigger of SQLite's refuses the write")("open also where nothing can be written", async () => {
    const { key, id } = await open.organization().apiKeys.create({ name: "Stuck", scope: "read" });
    const told: unknown[] = [];
    using _errors = open.engine.events.on("error", ({ error }) => told.push(error));
    const refuse = "CREATE TRIGGER refuse BEFORE UPDATE ON api_keys BEGIN SELECT raise(FAIL, 'full'); END";
    writeDatabase(open.directory, [{ sql: refuse }]);
    expect(await verifyApiKey(open.engine, key)).toMatchObject({ id });
    await expect.poll(() => told.length).toBe(1);
    writeDatabase(open.directory, [{ sql: "DROP TRIGGER refuse" }]);
  });

  it("know their last use to the minute", async () => {
    const { apiKeys } = open.organization();
    const { key, id } = await apiKeys.create({ name: "Busy", scope: "read" });
    const lastUse = async () => Date.parse((await apiKeys.get(id)).lastUsedAt!);
    const first = clock.now();
    await verifyApiKey(open.engine, key);
    await expect.poll(lastUse).toBe(first);
    await clock.advance(59_999);
    await verifyApiKey(open.engine, key);
    await expect.poll(lastUse).toBe(first);
    await clock.advance(1);
    await verifyApiKey(open.engine, key);
    await expect.poll(lastUse).toBe(first + 60_000);
  });

  it("are never the same, and have a name and a known scope", async () => {
    const { apiKeys } = open.organization();
    const made = await Promise.all(Array.from({ length: 20 }, () => apiKeys.create({ name: "n", scope: "admin" })));
    expect(new Set(made.map(({ key }) => key)).size).toBe(20);
    const refused = await failureOf(() => apiKeys.create({ name: "", scope: "root" as "admin" }));
    expect(refused.issues.map(({ field }) => field)).toEqual(["name", "scope"]);
  });
});

describe("organizations", () => {
  it("are created, read, changed, listed and deleted with their keys", async () => {
    const { organizations } = open;
    const made = await organizations.create({ name: "Acme", plan: "free" });
    expect(made).toEqual({
      id: expect.stringMatching(/^org_/),
      name: "Acme",
      plan: "free",
      quota: { documents: null, bytes: null, tokens: null },
      createdAt: expect.any(String),
    });
    expect(await organizations.get(made.id)).toEqual(made);
    expect(await organizations.update(made.id, { plan: null })).toEqual({ ...made, plan: null });
    expect(await organizations.update(made.id, { name: "New" })).toEqual({ ...made, name: "New", plan: null });
    const { key } = await open.organization(made.id).apiKeys.create({ name: "k", scope: "read" });
    expect((await organizations.list()).items[0]!.id).toBe(made.id);
    await organizations.delete(made.id);
    expect((await failureOf(() => organizations.get(made.id))).code).toBe("not_found");
    expect(await verifyApiKey(open.engine, key)).toBe(null);
  });

  it("have an id that nobody else has, of the form of ids", async () => {
    const { organizations } = open;
    await organizations.create({ id: "org_mine", name: "Mine" });
    expect((await failureOf(() => organizations.create({ id: "org_mine", name: "Again" }))).code).toBe("conflict");
    for (const id of ["mine", "org_", "org_a-b", `org_${"x".repeat(65)}`])
      expect((await failureOf(() => organizations.create({ id, name: "n" }))).issues[0]!.field).toBe("id");
  });

  it("stay while they have namespaces, and nobody owns what has no owner", async () => {
    const { id } = await open.organizations.create({ name: "Busy" });
    const config = { embeddingConfig: { provider: "MANAGED_LEXICAL" } };
    await open.organization(id).namespaces.create({ name: "n", slug: "nn", ...config });
    expect((await failureOf(() => open.organizations.delete(id))).code).toBe("conflict");
    const nobody = open.organization("org_nobody");
    for (const call of [
      () => nobody.namespaces.create({ name: "n", slug: "nn", ...config }),
      () => nobody.apiKeys.create({ name: "k", scope: "read" }),
    ]) {
      const error = await failureOf(call);
      expect([error.code, error.message]).toEqual(["not_found", 'There is no organization "org_nobody".']);
    }
  });
});
