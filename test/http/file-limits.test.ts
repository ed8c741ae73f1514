import { afterAll, beforeAll, expect, it } from "vitest";
import { InterfaceClient, type InterfaceError } from "./support/interface-client.js";
import { newOrganization, startServer, type TestServer } from "./support/test-server.js";

const MB = 1024 * 1024;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

async function clientOf(plan: "free" | "pro" | null) {
  const { key } = await newOrganization(server, plan);
  const client = new InterfaceClient({ url: server.url, key });
  const { id } = await client.createNamespace({ name: "Files", slug: "files" });
  return { client, id };
}

const file = (fileSize: number) => ({ fileName: "large.txt", contentType: "text/plain", fileSize });
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 201,
    (error: InterfaceError) => error.status,
  );

it.each([
  ["free", 5 * MB],
  ["pro", 200 * MB],
  [null, 200 * MB],
] as const)("the plan %s takes files of up to %i bytes", async (plan, most) => {
  const { client, id } = await clientOf(plan);
  expect(await statusOf(client.createUpload(id, file(most)))).toBe(201);
  expect(await statusOf(client.createUpload(id, file(most + 1)))).toBe(422);
  expect(await statusOf(client.createBatchUpload(id, { files: [file(1), file(most)] }))).toBe(201);
  const batch = client.createBatchUpload(id, { files: [file(1), file(most + 1)] });
  await expect(batch).rejects.toMatchObject({ status: 422, message: expect.stringContaining("files[1].fileSize") });
  const one = client.createBatchUpload(id, { files: [file(most + 1)] });
  await expect(one).rejects.toMatchObject({ status: 422 });
});

it("accepts a file of exactly the limit", async () => {
  const { client, id } = await clientOf("free");
  const bytes = Buffer.alloc(5 * MB, "All of it is text. ");
  const upload = await client.createUpload(id, file(bytes.length));
  await client.put(upload, "text/plain", bytes);
  const job = await client.createIngestJob(id, {
    payload: { type: "MANAGED_FILE", key: upload.key },
    config: { chunkSize: 65_536 },
  });
  await server.kb.drain();
  expect((await client.getIngestJobInfo(id, job.id)).status).toBe("COMPLETED");
});

it.each([
  ["a program", { fileName: "setup.exe", contentType: "application/x-msdownload" }],
  ["an archive", { fileName: "all.tar.gz", contentType: "application/gzip" }],
  ["a file of unknown type", { fileName: "noname", contentType: "application/octet-stream" }],
])("%s is refused before it is sent", async (_, kind) => {
  const { client, id } = await clientOf(null);
  expect(await statusOf(client.createUpload(id, { ...kind, fileSize: 1 }))).toBe(422);
});
