import { expect, it, onTestFinished } from "vitest";
import { startDeployment } from "../support/deployment.js";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { until } from "./server.js";

/** Five processes start, and a killed worker's job waits for the next heartbeat of another. */
const LONG = { timeout: 240_000 };

it("two web processes and three workers are one knowledge base, though a worker is killed", LONG, async ({ skip }) => {
  const database = await openTestDatabase();
  if (!database) return skip(POSTGRES_MISSING);
  onTestFinished(() => database.drop());
  const { web, workers, bucket } = await startDeployment(database.url);
  const [one, other] = web;

  // A file goes through one web process to the bucket, and is found through the other.
  const file = Buffer.from("The lamp is lit at dusk.");
  const announced = { fileName: "lamp.txt", contentType: "text/plain", fileSize: file.length };
  const upload = await one.call("POST", "/v1/namespace/notes/uploads", announced);
  const sent = await fetch(upload.body.data.url, {
    method: "PUT",
    body: file,
    headers: { "content-type": "text/plain" },
  });
  expect(sent.status).toBe(200);
  const payload = { type: "MANAGED_FILE", key: upload.body.data.key };
  const job = await one.call("POST", "/v1/namespace/notes/ingest-jobs", { payload });
  await jobWithStatus(other, job.body.data.id, "COMPLETED");
  const { body: found } = await other.call("POST", "/v1/namespace/notes/search", { query: "When is the lamp lit?" });
  expect(found.data[0].text).toContain("dusk");
  expect([...bucket.objects.keys()]).toEqual([expect.not.stringContaining("incoming")]);

  // The worker that runs a job is killed in the middle of it.
  const items = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ type: "TEXT", text: `Entry ${n} of the log.` }));
  const log = { payload: { type: "BATCH", items: items(200) } };
  const { body: created } = await one.call("POST", "/v1/namespace/notes/ingest-jobs", log);
  const victim = await until(
    async () =>
      (
        await database.query<{ pid: number }>(
          `SELECT p.pid FROM tasks t JOIN processes p ON p.id = t.owner
           JOIN ingest_jobs j ON j.id = t.subject WHERE j.id = $1 AND j.documents_completed > 0`,
          [created.data.id],
        )
      )[0]?.pid,
    (pid) => pid !== undefined,
  );
  workers.find(({ pid }) => pid === victim)!.kill("SIGKILL");
  const ended = await jobWithStatus(other, created.data.id, "COMPLETED");
  expect(ended.counts.documents).toMatchObject({ total: 200, completed: 200, failed: 0 });
  const [{ documents }] = (await database.query("SELECT count(*) AS documents FROM documents")) as [
    { documents: number },
  ];
  expect(documents).toBe(201);

  // One web process cancels what the other has created and a worker runs.
  const { body: large } = await one.call("POST", "/v1/namespace/notes/ingest-jobs", {
    payload: { type: "BATCH", items: items(1000) },
  });
  await jobWithStatus(one, large.data.id, "PROCESSING");
  expect((await other.call("POST", `/v1/namespace/notes/ingest-jobs/${large.data.id}/cancel`)).status).toBe(200);
  await jobWithStatus(one, large.data.id, "CANCELLED");

  // Both count the requests of an organization together.
  await database.query("UPDATE organizations SET plan = 'free'");
  const remaining: number[] = [];
  for (let request = 0; ; request++) {
    const answer = await fetch(`${web[request % 2]!.url}/v1/namespace`, {
      headers: { authorization: `Bearer ${one.apiKey}` },
    });
    await answer.text();
    if (answer.status === 429) break;
    const left = answer.headers.get("x-ratelimit-remaining");
    if (left !== null) remaining.push(Number(left));
  }
  expect(remaining).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index));

  const alive = [...web, ...workers.filter(({ pid }) => pid !== victim)];
  for (const { kill } of alive) kill("SIGTERM");
  expect(await Promise.all(alive.map(({ ended }) => ended))).toEqual(alive.map(() => 0));
});

type Web = Awaited<ReturnType<typeof startDeployment>>["web"][number];

async function jobWithStatus(web: Web, id: string, status: string) {
  const read = () => web.call("GET", `/v1/namespace/notes/ingest-jobs/${id}`);
  return (await until(read, ({ body }) => body.data.status === status, 90_000)).body.data;
}
