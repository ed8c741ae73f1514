import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "#dist/http/routes/index.js";
import type { Route } from "../../src/http/route.js";
import { expectFailure } from "./support/envelope.js";
import { EXAMPLES, KEY_ROUTES, paramsOf, requestTo, SIGNED_ROUTES } from "./support/requests.js";
import { authorized, type Received, type Sent, send } from "./support/send.js";
import { tablesOf } from "./support/tables-of.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { ABSENT, type Ids, makeWorld, type World } from "./support/world.js";

let server: TestServer;
let mine: World;
let theirs: World;
let before: ReturnType<typeof tablesOf>;
beforeAll(async () => {
  server = await startServer();
  mine = await makeWorld(server);
  theirs = await makeWorld(server);
  await server.kb.drain();
  before = tablesOf(server.directory);
});
afterAll(() => server.close());

const ask = (sent: Sent) => send(server.url, sent);
const asMe = () => authorized(mine.organization.key);

/** Expects two responses that differ only in the requested ids. */
function expectSame(foreign: Received, never: Received, replaced: readonly (readonly [string, string])[]): void {
  let text = foreign.text;
  for (const [id, absent] of replaced) text = text.replaceAll(id, absent);
  expect(text).toBe(never.text);
  const { "x-request-id": _, date: __, "content-length": ___, ...headers } = foreign.headers;
  expect(never.headers).toMatchObject(headers);
  expect(foreign.status).toBe(never.status);
}

/** Requests foreign ids and unknown ids, and expects the same response. */
async function expectHidden(route: Route, foreign: Ids, absent: Ids): Promise<void> {
  const answer = await ask(requestTo(route, foreign, asMe()));
  const never = await ask(requestTo(route, absent, asMe()));
  expectFailure(answer, 404);
  expectSame(
    answer,
    never,
    paramsOf(route).map((name) => [foreign[name], absent[name]]),
  );
}

const withNamespace = KEY_ROUTES.filter((route) => paramsOf(route).includes("namespaceId"));
const withRecord = KEY_ROUTES.filter((route) => paramsOf(route).some((name) => name !== "namespaceId"));

it("has a case for every route that is not public", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(
    ROUTES.filter(({ access }) => access !== "public")
      .map(({ operationId }) => operationId)
      .sort(),
  );
  const organizationWide = KEY_ROUTES.filter((route) => paramsOf(route).length === 0);
  expect(organizationWide.map(({ operationId }) => operationId)).toEqual([
    ...["listNamespaces", "createNamespace", "getUsage"],
    ...["listWebhooks", "createWebhook"],
    "metrics",
  ]);
});

describe("another organization's", () => {
  it.each(withNamespace.map((route) => [route.operationId, route] as const))(
    "namespace is none: %s",
    async (_, route) => {
      await expectHidden(route, theirs, ABSENT);
      await expectHidden(route, { ...theirs, namespaceId: theirs.slug }, { ...ABSENT, namespaceId: "no-such-slug" });
      // The caller's own records don't help either.
      await expectHidden(
        route,
        { ...mine, namespaceId: theirs.namespaceId },
        { ...mine, namespaceId: ABSENT.namespaceId },
      );
    },
  );

  it.each(withRecord.map((route) => [route.operationId, route] as const))(
    "records are none in a namespace of one's own: %s",
    async (_, route) => {
      const { namespaceId } = mine;
      await expectHidden(route, { ...theirs, namespaceId }, { ...ABSENT, namespaceId });
      const { T1 } = theirs.tenants;
      await expectHidden(route, { ...theirs, ...T1, namespaceId }, { ...ABSENT, namespaceId });
    },
  );

  it.each(SIGNED_ROUTES.map((route) => [route.operationId, route] as const))(
    "files are none at signed addresses: %s",
    async (operationId, route) => {
      const signed = { putBlob: mine.pending.url, downloadChunks: mine.chunksUrl, downloadFile: mine.fileUrl };
      const { search } = new URL(signed[operationId as keyof typeof signed]);
      for (const query of [search, "?expires=4000000000000&signature=none"]) {
        const to = (ids: Ids) => {
          const { path, ...rest } = requestTo(route, ids, { "content-type": "text/plain" });
          return { ...rest, path: path.split("?")[0]! + query };
        };
        const [answer, never] = [await ask(to(theirs)), await ask(to(ABSENT))];
        expectFailure(answer, 403);
        expectSame(
          answer,
          never,
          paramsOf(route).map((name) => [theirs[name], ABSENT[name]]),
        );
      }
    },
  );

  it.each([
    ["MANAGED_FILE", (key: string) => ({ type: "MANAGED_FILE", key })],
    ["BATCH", (key: string) => ({ type: "BATCH", items: [{ type: "MANAGED_FILE", key }] })],
    [
      "BATCH among one's own",
      (key: string) => ({ type: "BATCH", items: [mine.key, key].map((each) => ({ type: "MANAGED_FILE", key: each })) }),
    ],
  ])("upload is none as the key of a %s", async (_, payloadOf) => {
    const never = `${theirs.namespaceId}/${ABSENT.blobId}`;
    const create = (key: string) =>
      ask({
        method: "POST",
        path: `/v1/namespace/${mine.namespaceId}/ingest-jobs`,
        headers: asMe(),
        body: JSON.stringify({ payload: payloadOf(key) }),
      });
    for (const key of [theirs.key, theirs.pending.key]) {
      const answer = await create(key);
      expect(expectFailure(answer, 400)).toContain("File not found");
      expectSame(answer, await create(never), [[key, never]]);
    }
  });

  it("job is unknown as a filter", async () => {
    const list = (id: string) =>
      ask({ path: `/v1/namespace/${mine.namespaceId}/documents?ingestJobId=${id}`, headers: asMe() });
    const answer = await list(theirs.jobId);
    expect(JSON.parse(answer.text).data).toEqual([]);
    expectSame(answer, await list(ABSENT.jobId), [[theirs.jobId, ABSENT.jobId]]);
  });

  it("cursors are not accepted", async () => {
    const cursorOf = (list: string) => Buffer.from(JSON.stringify([1, list, "desc", 9])).toString("base64url");
    for (const resource of ["documents", "ingest-jobs"] as const) {
      const { pagination } =
        resource === "documents"
          ? await theirs.client.listDocuments(theirs.namespaceId, { perPage: 1 })
          : await theirs.client.listIngestJobs(theirs.namespaceId, { perPage: 1 });
      const list = (cursor: string) =>
        ask({ path: `/v1/namespace/${mine.namespaceId}/${resource}?cursor=${cursor}`, headers: asMe() });
      const answer = await list(pagination.nextCursor!);
      expectFailure(answer, 400);
      const [, name] = JSON.parse(Buffer.from(pagination.nextCursor!, "base64url").toString());
      const never = name.replace(theirs.namespaceId, ABSENT.namespaceId);
      expectSame(answer, await list(cursorOf(never)), []);
    }
    const namespaces = await ask({ path: `/v1/namespace?cursor=${cursorOf("namespaces")}`, headers: asMe() });
    for (const { organizationId } of JSON.parse(namespaces.text).data)
      expect(organizationId).toBe(mine.organization.id);
  });

  it("records are unchanged", () => {
    expect(tablesOf(server.directory)).toEqual(before);
  });

  it("slug and file names can be used, and refer to the caller's own", async () => {
    const made = await mine.client.createNamespace({ name: "Mine", slug: theirs.slug });
    expect((await mine.client.getNamespace(theirs.slug)).id).toBe(made.id);
    expect((await theirs.client.getNamespace(theirs.slug)).id).toBe(theirs.namespaceId);
    const payload = { type: "TEXT", text: "Mine.", fileName: theirs.key, key: theirs.key };
    const job = await mine.client.createIngestJob(made.id, { payload });
    await mine.client.completed(made.id, job.id);
    const { data } = await mine.client.listDocuments(made.id);
    expect(data.map(({ source }) => source)).toEqual([{ type: "TEXT", text: "Mine." }]);
  });
});
