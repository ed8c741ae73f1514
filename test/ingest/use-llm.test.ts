import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { KnowledgeBase, KnowledgeBaseError, openAICompatible } from "lorebase";
import { expect, onTestFinished, test } from "vitest";
import { askedModel, pictureOf } from "../support/asked-model.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { leapingClock } from "../support/leaping-clock.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const page = `<h1>Works</h1><p>Before.</p><img src="data:image/png;base64,${Buffer.from(pictureOf(1)).toString("base64")}">`;

async function ingested(kb: KnowledgeBase) {
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  const file = join(temporaryDirectory(), "works.html");
  writeFileSync(file, page);
  const run = await handle.ingest({ file }, { useLlm: true });
  const job = await run.done();
  const { items } = await handle.documents.list();
  return { handle, job, document: items[0]! };
}

test("pictures are found by what a model says that they show", async () => {
  const { model } = askedModel(() => "A suspension bridge.");
  const { handle, job, document } = await ingested(openKnowledgeBase({ languageModel: model }));
  expect([job.status, document.warnings]).toEqual(["COMPLETED", []]);
  const [hit] = await handle.search("suspension", { mode: "keyword" });
  expect(hit!.text).toContain("A suspension bridge.");
});

test("a model behind an API is asked through the engine's guard, which repeats what may pass", async () => {
  let calls = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      calls++;
      if (calls === 1) return void response.writeHead(503).end();
      const [, { content }] = JSON.parse(body).messages;
      const seen = content[0].image_url.url.startsWith("data:image/png;base64,") ? "A bridge seen." : "Nothing.";
      const parts = [
        { choices: [{ delta: { content: seen } }] },
        { choices: [{ delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 7, completion_tokens: 3 } },
      ];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join("")}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const kb = openKnowledgeBase({
    languageModel: openAICompatible({ baseUrl, model: "sees" }),
    calls: { backoffMs: 1 },
  });
  const told: unknown[] = [];
  kb.on("provider.call", ({ operation, outcome, attempts, usage }) =>
    told.push({ operation, outcome, attempts, usage }),
  );
  const { handle } = await ingested(kb);
  expect(await handle.search("bridge", { mode: "keyword" })).toHaveLength(1);
  const usage = { inputTokens: 7, outputTokens: 3 };
  expect(told).toEqual([{ operation: "generate", outcome: "ok", attempts: 2, usage }]);
});

test("a model that is down for now puts the document back, and not its pictures aside", async () => {
  let asked = 0;
  const { model } = askedModel(() => {
    return asked++ === 0 ? new KnowledgeBaseError("provider_failed", "overloaded", { retryable: true }) : "A bridge.";
  });
  const { handle, job } = await ingested(openKnowledgeBase({ languageModel: model, clock: leapingClock() }));
  expect(job.status).toBe("COMPLETED");
  expect(await handle.search("bridge", { mode: "keyword" })).toHaveLength(1);
});

test("without a model the document has a warning", async () => {
  const { job, document } = await ingested(openKnowledgeBase());
  expect(job.status).toBe("COMPLETED");
  expect(document.warnings).toEqual(["useLlm has no effect: no language model is configured."]);
});

test("what is no language model is refused, and the option named", async () => {
  const open = () => new KnowledgeBase({ directory: ":memory:", languageModel: { provider: "X" } as never });
  expect(open).toThrow("languageModel: must be a language model of Lorebase or of the AI SDK");
});
