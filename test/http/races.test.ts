import { afterAll, beforeAll, expect, it } from "vitest";
import { failureFault } from "./support/failure-fault.js";
import { authorized, type Received, type Sent, send } from "./support/send.js";
import { newOrganization, startServer, type TestOrganization, type TestServer } from "./support/test-server.js";
import { FILE } from "./support/world.js";

const causes: unknown[] = [];
let server: TestServer;
let organization: TestOrganization;
beforeAll(async () => {
  server = await startServer({}, { onError: (error) => causes.push(error) });
  organization = await newOrganization(server);
});
afterAll(() => server.close());

const ask = (method: string, path: string, body?: unknown) => {
  const sent: Sent = { method, path, headers: authorized(organization.key) };
  return send(server.url, body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
};

function expectNoFailure(answers: readonly Received[]): void {
  for (const answer of answers) if (answer.status >= 400) expect(failureFault(answer)).toBe(null);
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  expect(causes).toEqual([]);
}

it("requests during a namespace's deletion succeed or find it deleted", async () => {
  const { namespaces } = server.kb.organization(organization.id);
  for (let round = 0; round < 15; round++) {
    const { id } = await namespaces.create({ name: "Race", slug: `race-${round}` });
    const path = `/v1/namespace/${id}`;
    const others = (): Promise<Received>[] => [
      ask("POST", `${path}/hosting`, {}),
      ask("PATCH", `${path}/hosting`, { title: "Raced" }),
      ask("POST", `${path}/uploads`, FILE),
      ask("POST", `${path}/ingest-jobs`, { payload: { type: "TEXT", text: "Raced." } }),
      ask("POST", `${path}/search`, { query: "raced" }),
      ask("PATCH", path, { slug: `raced-${round}` }),
      ask("DELETE", `${path}/hosting`),
      ask("GET", `${path}/documents`),
    ];
    const before = others();
    // Later requests arrive while the queue removes the content.
    expectNoFailure(await Promise.all([...before, ask("DELETE", path), ...others(), ...others()]));
  }
});

it("one of several concurrent requests for the same name succeeds, and the others get a conflict", async () => {
  const { namespaces } = server.kb.organization(organization.id);
  const { id } = await namespaces.create({ name: "One", slug: "one" });
  const path = `/v1/namespace/${id}`;
  const body = { payload: { type: "TEXT", text: "Once." }, externalId: "once" };
  for (const attempt of [
    () => ask("POST", "/v1/namespace", { name: "Same", slug: "same" }),
    () => ask("POST", `${path}/hosting`, {}),
    () => ask("POST", `${path}/ingest-jobs`, body),
  ]) {
    const answers = await Promise.all(Array.from({ length: 8 }, attempt));
    expectNoFailure(answers);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  }
});
