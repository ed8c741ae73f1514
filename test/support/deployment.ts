import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { onTestFinished } from "vitest";
import { follow, makeNamespace, type Server, serve } from "../cli/server.js";
import { temporaryDirectory } from "./temporary-directory.js";
import { type FakeS3, fakeS3, S3_BUCKET, S3_CREDENTIALS, S3_REGION } from "./vendors/s3.js";

export interface Deployment {
  readonly web: readonly [Server, Server];
  readonly workers: readonly ReturnType<typeof follow>[];
  readonly bucket: FakeS3;
}

/**
 * Starts two web processes and three workers on a database and a bucket, each with a directory of its own, as on a
 * machine of its own. They have the namespace `notes`.
 */
export async function startDeployment(database: string): Promise<Deployment> {
  const bucket = await fakeS3();
  onTestFinished(() => bucket.close());
  const env = {
    LOREBASE_DATABASE: database,
    LOREBASE_MASTER_KEY: "66".repeat(32),
    LOREBASE_BLOBS: `s3://${S3_BUCKET}/?region=${S3_REGION}&endpoint=${encodeURIComponent(bucket.endpoint)}`,
    AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  };
  const one = await serve(temporaryDirectory(), { args: ["--no-worker"], env });
  const other = await serve(temporaryDirectory(), { args: ["--no-worker"], env, key: one.apiKey! });
  const workers = [1, 2, 3].map(() => {
    const args = [resolve("dist/cli/main.js"), "work", "--json", "--directory", temporaryDirectory()];
    return follow(spawn(process.execPath, args, { env: { ...process.env, ...env } }));
  });
  await Promise.all(workers.map(({ waitFor }) => waitFor(/\n/)));
  await makeNamespace(one, "notes");
  return { web: [one, other], workers, bucket };
}
