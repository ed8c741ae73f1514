import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const file = join(folder, "lamp.md");

function inNamespace(namespace: string) {
  return ["-d", join(folder, "kb"), "-n", namespace, "--embedding", "MANAGED_LEXICAL"];
}

it("warns if a file is ingested a second time, and skips equal content with --dedupe", async () => {
  writeFileSync(file, "The lamp is lit before sunset.");
  const flags = inNamespace("plain");
  const first = await lorebaseHere(["ingest", file, ...flags]);
  expect(first.stderr).not.toContain("warning");
  const deduped = await lorebaseHere(["ingest", file, ...flags, "--dedupe"]);
  expect(deduped.stdout).toMatch(/^skipped {2}lamp\.md: same content as doc_\w+\n0 documents, 0 chunks/);
  expect([deduped.code, deduped.stderr]).toEqual([0, expect.not.stringContaining("warning")]);
  const again = await lorebaseHere(["ingest", file, ...flags]);
  expect(again.stderr).toMatch(
    /^warning: A file was ingested again and has two documents, ".*lamp\.md" \(doc_\w+ and now doc_\w+\)/m,
  );
  const search = await lorebaseHere(["search", "lamp", ...flags.slice(0, 4), "-m", "keyword", "--json"]);
  expect(JSON.parse(search.stdout).hits).toHaveLength(1);
});

it("skips or replaces the job with the same external id", async () => {
  writeFileSync(file, "The lamp is lit before sunset.");
  const flags = [...inNamespace("named"), "--external-id", "lamp"];
  const first = JSON.parse((await lorebaseHere(["ingest", file, ...flags, "--json"])).stdout);
  expect(first.outcomes).toEqual(["created"]);
  const refused = await lorebaseHere(["ingest", file, ...flags]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The externalId "lamp" is taken')]);
  writeFileSync(file, "The foghorn sounds.");
  const skipped = await lorebaseHere(["ingest", file, ...flags, "--on-conflict", "skip"]);
  expect(skipped.stdout).toMatch(/^skipped {2}job_\w+ already has this external id\n/);
  const replaced = JSON.parse(
    (await lorebaseHere(["ingest", file, ...flags, "--on-conflict=replace", "--json"])).stdout,
  );
  expect(replaced).toMatchObject({ outcomes: ["replaced"], jobs: [{ id: first.jobs[0].id, status: "COMPLETED" }] });
  expect(replaced.documents[0].id).toBe(first.documents[0].id);
  const search = await lorebaseHere(["search", "foghorn lamp", ...flags.slice(0, 4), "-m", "keyword", "--json"]);
  expect(JSON.parse(search.stdout).hits.map(({ text }: { text: string }) => text)).toEqual(["The foghorn sounds."]);
  const wrong = await lorebaseHere(["ingest", file, ...flags, "--on-conflict", "merge"]);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("--on-conflict must be one of fail, skip, replace"),
  ]);
});
