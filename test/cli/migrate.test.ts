import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { fakeS3, S3_BUCKET, S3_CREDENTIALS, S3_REGION } from "../support/vendors/s3.js";
import { lorebase, lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const directory = join(folder, "kb");

beforeAll(async () => {
  const file = join(folder, "lamp.txt");
  writeFileSync(file, "The lamp is lit at dusk.");
  await lorebaseHere(["ingest", file, "-d", directory, "--embedding", "MANAGED_LEXICAL"]);
});

it("moves a directory to a database and a bucket, and back to another directory", async ({ skip }) => {
  const database = await openTestDatabase();
  if (!database) return skip(POSTGRES_MISSING);
  onTestFinished(() => database.drop());
  const bucket = await fakeS3();
  onTestFinished(() => bucket.close());
  const back = join(folder, "back");
  const env = {
    LOREBASE_BLOBS: `s3://${S3_BUCKET}/?region=${S3_REGION}&endpoint=${encodeURIComponent(bucket.endpoint)}`,
    LOREBASE_MASTER_KEY: randomBytes(32).toString("hex"),
    AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  };
  const there = await lorebase(["migrate", "-d", directory, "--to", database.url], { env });
  expect([there.code, there.stderr]).toEqual([0, expect.stringContaining("compare records")]);
  expect(there.stdout).toMatch(/^documents +1 +[0-9a-f]{16}$/m);
  expect(there.stdout).toMatch(
    /^Migrated: \d+ rows and 1 file are equal, as are 0 secrets and the hits of \d+ searches\.$/m,
  );
  expect(bucket.objects.size).toBe(1);

  const again = await lorebaseHere(["migrate", "-d", directory, "--to", database.url], env);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("The target must be empty")]);
  const found = await lorebaseHere(["search", "lamp", "--database", database.url, "--mode", "keyword"], env);
  expect(found.stdout).toContain("lit at dusk");

  const returned = await lorebaseHere(["migrate", "--database", database.url, "--to", back, "--json"], env);
  expect(JSON.parse(returned.stdout)).toMatchObject({ files: { count: 1, damaged: [] }, resumed: false });
  const local = await lorebaseHere(["search", "lamp", "-d", back], { LOREBASE_MASTER_KEY: env.LOREBASE_MASTER_KEY });
  expect(local.stdout).toContain("lit at dusk");
});

it("stops at Ctrl-C, and continues", async ({ skip }) => {
  const database = await openTestDatabase();
  if (!database) return skip(POSTGRES_MISSING);
  onTestFinished(() => database.drop());
  const args = ["migrate", "-d", directory, "--to", database.url, "--shared-directory"];
  const env = { LOREBASE_MASTER_KEY: randomBytes(32).toString("hex") };
  const stopped = await lorebase(args, {
    env,
    onStderr(text, kill) {
      if (text.includes("records")) kill("SIGINT");
    },
  });
  expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringContaining("The same command continues")]);
  const continued = await lorebaseHere(args, env);
  expect([continued.code, continued.stdout]).toEqual([0, expect.stringMatching(/^Finished the migration: /m)]);
});

it.each([
  [[], /migrate needs --to/],
  [["--to", "./other"], /needs the source, as --database/],
  [["--to", "postgres://a/b", "--database", "postgres://a/c"], /--database is the source/],
  [["--to", "postgres://a/b", "--keep-blobs"], /--keep-blobs needs --blobs/],
])("refuses %j", async (args, message) => {
  const { code, stderr } = await lorebaseHere(["migrate", ...args], { LOREBASE_DATABASE: "", LOREBASE_BLOBS: "" });
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});
