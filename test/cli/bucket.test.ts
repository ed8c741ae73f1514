import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fakeS3, S3_BUCKET, S3_CREDENTIALS, S3_REGION } from "../support/vendors/s3.js";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();

it("keeps the files of a command in a bucket, and doctor counts unfinished uploads there", async () => {
  const bucket = await fakeS3();
  onTestFinished(() => bucket.close());
  const env = {
    LOREBASE_BLOBS: `s3://${S3_BUCKET}/lore/?region=${S3_REGION}&endpoint=${encodeURIComponent(bucket.endpoint)}`,
    AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  };
  const directory = join(folder, "kb");
  const file = join(folder, "lamp.txt");
  writeFileSync(file, "The lamp is lit at dusk.");
  const ingested = await lorebaseHere(["ingest", file, "-d", directory, "--embedding", "MANAGED_LEXICAL"], env);
  expect([ingested.code, [...bucket.objects.keys()]]).toEqual([0, [expect.stringMatching(/^lore\/ns_\w+\/\w+$/)]]);

  const check = async () => {
    const { stdout } = await lorebaseHere(["doctor", "--json", "-d", directory], env);
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "bucket");
  };
  expect(await check()).toMatchObject({ status: "ok" });
  await startUpload(bucket.endpoint);
  expect(await check()).toMatchObject({ status: "warning", found: expect.stringMatching(/^1 unfinished upload,/) });
  const { stdout } = await lorebaseHere(["doctor", "--json", "-d", directory], { ...env, AWS_ACCESS_KEY_ID: "OTHER" });
  expect(JSON.parse(stdout).checks.at(-1)).toMatchObject({ name: "bucket", status: "failed" });
});

async function startUpload(endpoint: string): Promise<void> {
  const { AwsClient } = await import("aws4fetch");
  const client = new AwsClient({ ...S3_CREDENTIALS, region: S3_REGION, service: "s3" });
  const { status } = await client.fetch(`${endpoint}/${S3_BUCKET}/lore/large?uploads`, { method: "POST" });
  expect(status).toBe(200);
}
