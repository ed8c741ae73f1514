// The contract of blob stores on a real service with the S3 interface:
// npm run campaign:s3 -- --endpoint http://127.0.0.1:18080 --access-key test:tester --secret-key testing
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { AwsClient } from "aws4fetch";
import { type PresignRequest, type S3Options, s3 } from "lorebase";
import { blobStoreContract } from "lorebase/testing";

const { values } = parseArgs({
  options: {
    endpoint: { type: "string" },
    region: { type: "string", default: "us-east-1" },
    bucket: { type: "string", default: `lorebase-${randomUUID()}` },
    "access-key": { type: "string" },
    "secret-key": { type: "string" },
  },
});
const { endpoint, region, bucket, "access-key": accessKeyId, "secret-key": secretAccessKey } = values;
if (!endpoint || !accessKeyId || !secretAccessKey)
  throw new Error("--endpoint, --access-key and --secret-key are needed.");
const options: S3Options = { endpoint, region, bucket, credentials: { accessKeyId, secretAccessKey } };

const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3" });
const created = await client.fetch(new URL(bucket, `${endpoint.replace(/\/$/, "")}/`), { method: "PUT" });
if (!created.ok) throw new Error(`The bucket ${bucket} was not created: ${created.status} ${await created.text()}`);

let failed = 0;
async function check(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error}`);
  }
}

let cases = 0;
const emptyStore = async () => s3({ ...options, prefix: `case-${++cases}/` });
for (const { name, run } of blobStoreContract(emptyStore)) await check(name, run);

await check("stores 20 MiB in parts, and reads a range over two of them", async () => {
  const store = s3({ ...options, prefix: "parts/" });
  const content = Buffer.alloc(20 * 1024 * 1024, "0123456789abcdef-");
  await store.put("large", content);
  const range = { start: 8 * 1024 * 1024 - 5, end: 8 * 1024 * 1024 + 5 };
  for (const [found, expected] of [
    [await store.get("large"), content],
    [await store.get("large", { range }), content.subarray(range.start, range.end)],
  ] as const) {
    const bytes = Buffer.from(await new Response(found?.body).arrayBuffer());
    if (found?.size !== content.length || !bytes.equals(expected)) throw new Error("other bytes");
  }
});

const upload: PresignRequest = { method: "PUT", contentType: "text/plain", size: 5, expiresInSeconds: 60 };
const type = { "content-type": "text/plain" };
const TAMPERED: readonly (readonly [string, (url: string) => string, RequestInit])[] = [
  ["another size", String, { body: "123456", headers: type }],
  ["another type", String, { body: "12345", headers: { "content-type": "text/html" } }],
  ["another method", String, { method: "DELETE" }],
  ["another key", (url) => url.replace("a.txt", "b.txt"), { body: "12345", headers: type }],
  ["a longer life", (url) => url.replace("Expires=60", "Expires=600"), { body: "12345", headers: type }],
  ["another date", (url) => url.replace(/Date=\d{4}/, "Date=2099"), { body: "12345", headers: type }],
  [
    "another signature",
    (url) => url.replace(/.$/, (end) => (end === "0" ? "1" : "0")),
    { body: "12345", headers: type },
  ],
  ["fewer signed headers", (url) => url.replace("content-type%3B", ""), { body: "12345", headers: type }],
];
for (const [name, tamper, init] of TAMPERED) {
  await check(`refuses a presigned URL with ${name}`, async () => {
    const url = tamper(await s3(options).presign!("tampered/a.txt", upload));
    const { status } = await fetch(url, { method: "PUT", ...init });
    if (status < 400 || status > 499) throw new Error(`status ${status}`);
  });
}

console.log(failed === 0 ? "passed" : `${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
