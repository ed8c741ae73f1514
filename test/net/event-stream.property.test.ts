import fc from "fast-check";
import { expect, it } from "vitest";
import { readEventStream } from "#dist/net/event-stream.js";
import { propertyRuns } from "../support/property-runs.js";

async function read(pieces: readonly Uint8Array[]) {
  async function* bytes() {
    yield* pieces;
  }
  const events: { type: string; data: string }[] = [];
  for await (const event of readEventStream(bytes())) events.push(event);
  return events;
}

const readText = (text: string) => read([Buffer.from(text)]);
const line = fc.string({ unit: "binary" }).map((text) => text.replace(/[\r\n\0]/g, "·").replace(/^\ufeff/, ""));
const event = fc.record({
  type: fc.constantFrom("", "error", "ping"),
  data: fc.array(line, { minLength: 1, maxLength: 3 }),
});

it("reads what was written, whatever its line ends, comments and cuts", async () => {
  const stream = fc.record({
    events: fc.array(event, { maxLength: 6 }),
    end: fc.constantFrom("\n", "\r\n", "\r"),
    comment: fc.constantFrom("", ":", ": keep-alive", "id: 7", "retry: 10", "unknown: field"),
    space: fc.boolean(),
    mark: fc.boolean(),
  });
  const cuts = fc.array(fc.nat(), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(stream, cuts, async ({ events, end, comment, space, mark }, places) => {
      const gap = space ? " " : "";
      const written = events.map(({ type, data }) =>
        [
          ...(comment === "" ? [] : [comment]),
          ...(type === "" ? [] : [`event:${gap}${type}`]),
          ...data.map((text) => `data:${gap}${space ? text : text.replace(/^ /, "  ")}`),
          "",
        ].map((text) => text + end),
      );
      const bytes = Buffer.from((mark ? "\ufeff" : "") + written.flat().join(""));
      const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
      const expected = events.map(({ type, data }) => ({ type: type || "message", data: data.join("\n") }));
      expect(await read(pieces)).toEqual(expected);
    }),
    { numRuns: propertyRuns(150) },
  );
});

it("gives the same byte by byte, with letters of several bytes", async () => {
  const bytes = Buffer.from("data: ä – 🔦\r\ndata: two\r\n\r\n: comment\r\ndata:three\r\n\r\n");
  const single = [...bytes].map((byte) => Uint8Array.of(byte));
  expect(await read(single)).toEqual([
    { type: "message", data: "ä – 🔦\ntwo" },
    { type: "message", data: "three" },
  ]);
});

it.each([
  ["data: a\n", []],
  ["data: a\n\ndata: b\n", ["a"]],
  ["data: a\n\ndata: b", ["a"]],
  ["event: ping\n\ndata: a\n\n", ["a"]],
  ["data\n\n", [""]],
  ["data:\n\n", [""]],
  ["data:  a\n\n", [" a"]],
  ["\n\n\ndata: a\n\n\n", ["a"]],
])("passes over what is no whole event: %j", async (text, data) => {
  expect((await readText(text)).map((event) => event.data)).toEqual(data);
});

it("takes a name for its own event only", async () => {
  expect(await readText("event: error\ndata: a\n\ndata: b\n\n")).toEqual([
    { type: "error", data: "a" },
    { type: "message", data: "b" },
  ]);
});

it("refuses an event without end", async () => {
  const piece = Buffer.from("x".repeat(1_000_000));
  const endless = read([Buffer.from("data: "), ...Array(5).fill(piece)]);
  await expect(endless).rejects.toThrow("A server-sent event has more than 4000000 characters.");
  const manyLines = Buffer.from(`data: ${"x".repeat(999_990)}\n`);
  await expect(read(Array(5).fill(manyLines))).rejects.toThrow(RangeError);
});
