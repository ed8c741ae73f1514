import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { Secrets } from "#dist/secrets/secrets.js";
import { queryDatabase } from "../support/database.js";
import { LEXICAL, openKnowledgeBase } from "../support/knowledge-base.js";
import { optionsOf } from "../support/postgres-directories.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const VALUES = 600;
const [OLD, NEW] = [randomBytes(32), randomBytes(32)];

/** Rotates in a process of its own, which is killed after so many batches. */
async function rotating(directory: string, batches: number) {
  const script = `
    const { KnowledgeBase } = await import(dist + "index.js");
    const [options, batches, ...masterKey] = argv;
    const kb = new KnowledgeBase({ ...JSON.parse(options), masterKey, worker: false });
    let done = 0;
    const throwIfAborted = () => {
      if (done++ === Number(batches)) process.kill(process.pid, "SIGKILL");
    };
    console.log(JSON.stringify(await kb.rotateKeys({ signal: { throwIfAborted } })));
    await kb.close();`;
  return runScript(script, [await optionsOf(directory), String(batches), NEW.toString("hex"), OLD.toString("hex")]);
}

it("loses no secret when it is killed between any two batches, nor beside another process", async () => {
  const directory = temporaryDirectory();
  const kb = openKnowledgeBase({ directory, masterKey: OLD, worker: false });
  const { id: namespaceId } = await kb.namespaces.create({ name: "A", slug: "aa", embeddingConfig: LEXICAL });
  const headers = Object.fromEntries(Array.from({ length: VALUES }, (_, index) => [`x-${index}`, `value ${index}`]));
  const { id: ownerId } = await kb.ingest("aa", { type: "CRAWL", url: "http://10.0.0.1/", headers });
  await kb.close();

  const both = await Secrets.open(temporaryDirectory(), [NEW, OLD]);
  const underNew = () => {
    const rows = queryDatabase<Record<string, string>>(directory, "SELECT field, key_id, sealed FROM sealed_values");
    expect(rows).toHaveLength(VALUES);
    for (const { field = "", sealed = "", key_id } of rows) {
      const value = both.unseal(sealed, { organizationId: "org_default", namespaceId, ownerId, field });
      expect([value, sealed.split(".")[1]]).toEqual([headers[field.slice("headers.".length)], key_id]);
    }
    return rows.filter(({ key_id }) => key_id === both.keyId).length;
  };

  for (const [batches, done] of [
    [0, 0],
    [1, 100],
    [2, 300],
  ] as const) {
    expect((await rotating(directory, batches)).signal).toBe("SIGKILL");
    expect(underNew()).toBe(done);
  }
  const ends = await Promise.all([rotating(directory, 99), rotating(directory, 99)]);
  const rotations = ends.map(({ stdout }) => JSON.parse(stdout) as { resealed: number; remaining: number });
  expect(rotations.map(({ remaining }) => remaining)).toEqual([0, 0]);
  expect(rotations[0]!.resealed + rotations[1]!.resealed).toBe(VALUES - 300);
  expect(underNew()).toBe(VALUES);
});
