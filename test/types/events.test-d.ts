import type { EventOf, EventType, IngestCounts, IngestEvent, IngestRun, Status } from "lorebase";
import { type ERROR_CODES, type ErrorCode, KnowledgeBase, KnowledgeBaseError } from "lorebase";
import { expectTypeOf, test } from "vitest";

const kb = new KnowledgeBase();

test("a listener is given the event of its type", () => {
  expectTypeOf(kb.on("job.status", () => {})).toEqualTypeOf<Disposable>();
  kb.on("job.status", (event) => {
    expectTypeOf(event).toEqualTypeOf<EventOf<"job.status">>();
    expectTypeOf(event.status).toEqualTypeOf<Status>();
  });
  kb.on("document.progress", ({ chunks }) => expectTypeOf(chunks.embedded).toEqualTypeOf<number>());
  kb.on("warning", ({ message }) => expectTypeOf(message).toEqualTypeOf<string>());
  kb.on("provider.retry", ({ waitMs }) => expectTypeOf(waitMs).toEqualTypeOf<number>());
  kb.on("error", ({ error }) => expectTypeOf(error).toEqualTypeOf<unknown>());
  // @ts-expect-error no such event
  kb.on("job.finished", () => {});
  // @ts-expect-error a warning has no counts
  kb.on("warning", ({ counts }) => counts);
});

test("the type of an event tells its fields", () => {
  const describe = (event: IngestEvent): string => {
    switch (event.type) {
      case "job.status":
      case "document.status":
        return event.status;
      case "document.skipped":
        return `${event.item} ${event.documentId}`;
      case "crawl.ended":
        return event.ended;
      case "document.progress":
        return `${event.chunks.embedded}`;
      case "crawl.progress":
        return JSON.stringify(event.pages);
    }
    expectTypeOf(event).toBeNever();
  };
  expectTypeOf(describe).returns.toBeString();
  expectTypeOf<IngestEvent["counts"]>().toEqualTypeOf<IngestCounts>();
  expectTypeOf<IngestEvent["type"]>().toExtend<EventType>();
  // @ts-expect-error only some events have a document
  const documentOf = (event: IngestEvent) => event.documentId;
  void documentOf;
});

test("a run is a stream of its events", async () => {
  const run = {} as IngestRun<{ readonly year: number }>;
  for await (const event of run) expectTypeOf(event).toEqualTypeOf<IngestEvent>();
  expectTypeOf(run.events({ after: 3 })).toExtend<AsyncIterable<IngestEvent>>();
});

test("errors are told apart by their code", () => {
  const codeOf = (error: unknown) => (KnowledgeBaseError.is(error, "conflict") ? error.code : null);
  expectTypeOf(codeOf).returns.toEqualTypeOf<ErrorCode | null>();
  expectTypeOf<(typeof ERROR_CODES)[number]>().toEqualTypeOf<ErrorCode>();
  // @ts-expect-error no such code
  KnowledgeBaseError.is(new Error(), "missing");
});
