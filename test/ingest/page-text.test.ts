import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const PAGE = `<!doctype html><html><head><title>Lamps</title></head><body>
  <div class="sidebar"><p>Subscribe to our letters about candles, which come every month.</p></div>
  <div class="text"><h1>Lamps</h1><p>A lamp burns oil that rises in its wick.</p><p>A clean chimney makes its light steady, and a trimmed wick keeps it from smoking.</p></div>
  <div class="cookie-banner">We use cookies so that candles find you.</div></body></html>`;

const server = createServer((request, response) => {
  const isPage = request.url === "/";
  response.writeHead(isPage ? 200 : 404, { "content-type": "text/html" }).end(isPage ? PAGE : "");
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

it("extracts the main text of a crawled page, and all text of a chosen file", async () => {
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kb = openKnowledgeBase({ network: { allowPrivateHosts: [host] } });
  const textOf = async (input: Parameters<(typeof space)["ingest"]>[0]) => {
    const { id, status } = await (await space.ingest(input)).done();
    expect(status).toBe("COMPLETED");
    const [document] = (await space.documents.list({ ingestJobId: id })).items;
    return (await space.documents.text(document!.id)).text;
  };
  const space = await newNamespace(kb);
  const crawled = await textOf({ type: "CRAWL", url: `http://${host}/`, maxDepth: 1 });
  expect(crawled).toContain("A lamp burns oil");
  expect(crawled).not.toContain("candles");
  const fetched = await textOf({ type: "FILE", fileUrl: `http://${host}/` });
  expect(fetched).toContain("letters about candles");
  await kb.close();
});
