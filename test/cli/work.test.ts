import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { lorebase, lorebaseHere, temporaryFolder } from "./lorebase.js";
import { follow, makeNamespace, serve, until } from "./server.js";

const folder = temporaryFolder();

it("runs the jobs that a server without a worker has queued, until it is stopped", async () => {
  const directory = join(folder, "shared");
  const server = await serve(directory, { args: ["--no-worker"] });
  await makeNamespace(server, "logs");
  const payload = { type: "TEXT", text: "The oil was changed at six." };
  const { body } = await server.call("POST", "/v1/namespace/logs/ingest-jobs", { payload });
  const readJob = () => server.call("GET", `/v1/namespace/logs/ingest-jobs/${body.data.id}`);
  expect((await readJob()).body.data.status).toBe("QUEUED");
  const { code: tooFew } = await lorebase(["work", "-d", directory, "--concurrency", "0"]);
  expect(tooFew).toBe(2);

  const args = [resolve("dist/cli/main.js"), "work", "--json", "-d", directory, "--concurrency", "1"];
  const worker = follow(spawn(process.execPath, args));
  await worker.waitFor(/\n/);
  expect(JSON.parse(worker.output.stdout)).toEqual({ directory });
  const done = await until(readJob, (answer) => answer.body.data.status === "COMPLETED");
  expect(done.body.data.error).toBeNull();
  worker.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  expect(worker.output.stderr).toContain("stopped");
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
});

it("names the database whose jobs it runs, without credentials", async ({ skip }) => {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  onTestFinished(() => server.drop());
  const url = new URL(server.url);
  url.searchParams.set("application_name", "secret-value");
  const args = [resolve("dist/cli/main.js"), "work", "-d", join(folder, "models"), "--database", url.href];
  const env = { ...process.env, LOREBASE_MASTER_KEY: "11".repeat(32) };
  const worker = follow(spawn(process.execPath, [...args, "--shared-directory"], { env }));
  await worker.waitFor(/\n/);
  expect(worker.output.stdout).toBe(`Lorebase is running the jobs of ${url.host}${url.pathname}\n`);
  worker.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
});

it.each([
  ["https://handbooks", /^lorebase: --blobs must be a URL such as s3:/],
  ["s3:handbooks", /^lorebase: --blobs must be a URL such as s3:/],
  ["s3://AKIDEXAMPLE:secret-value@handbooks", /--blobs must have no credentials/],
  ["s3://handbooks?zone=a", /unknown parameter "zone"; known: region, endpoint/],
  ["s3://handbooks?endpoint=nowhere", /--blobs is invalid: s3\.endpoint/],
])("refuses the bucket %s", async (url, message) => {
  const env = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret-value" };
  const { code, stderr } = await lorebaseHere(["namespaces", "list", "-d", folder, "--blobs", url], env);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(stderr).not.toContain("secret-value");
});

it("names the credentials that a bucket needs", async () => {
  const env = { LOREBASE_BLOBS: "s3://handbooks", AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };
  const { code, stderr } = await lorebaseHere(["keys", "list", "-d", folder], env);
  expect([code, stderr]).toEqual([2, expect.stringContaining("LOREBASE_BLOBS needs AWS_ACCESS_KEY_ID")]);
});

it("serves its metrics on a port of their own", async () => {
  const directory = join(folder, "measured");
  const args = [resolve("dist/cli/main.js"), "work", "--json", "-d", directory, "--metrics-port", "0"];
  const worker = follow(spawn(process.execPath, args));
  await worker.waitFor(/\n/);
  const { metricsUrl } = JSON.parse(worker.output.stdout);
  expect(await (await fetch(`${metricsUrl}/metrics`)).text()).toContain("lorebase_database_up 1\n");
  worker.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
});
