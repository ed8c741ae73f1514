import type { KnowledgeBase, NamespaceHandle, VideoSource } from "lorebase";
import { youtubeVideoSource } from "lorebase";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { type SaidAt, VideoSite } from "../support/videos/site.js";

let site: VideoSite;
let kb: KnowledgeBase;
beforeAll(async () => {
  site = await VideoSite.start();
  kb = openKnowledgeBase({
    videoSource: youtubeVideoSource({ baseUrl: site.origin }),
    network: { allowPrivateHosts: [site.host] },
  });
});
afterAll(async () => {
  await kb.close();
  await site.close();
});
let space: NamespaceHandle;
beforeEach(async () => {
  site.clear();
  space = await newNamespace(kb);
});

const watch = (id: string) => `https://www.youtube.com/watch?v=${id}`;
const said = (topic: string): SaidAt[] =>
  Array.from({ length: 40 }, (_, place) => [place * 5000, 4000, `Sentence ${place} of the talk is about ${topic}.`]);

function addVideo(id: string, topic = id, language = "en") {
  site.videos.set(id, { title: `On ${topic}`, seconds: 200, tracks: [{ language, captions: said(topic) }] });
}

async function ingested(
  payload: { urls: string[]; transcriptLanguages?: string[]; includeMetadata?: boolean },
  options = {},
) {
  const run = await space.ingest({ type: "YOUTUBE", ...payload }, options);
  return { run, job: await run.done(), documents: (await space.documents.list({ order: "asc" })).items };
}

it("creates a document of a video, with the time of each chunk", async () => {
  addVideo("v1", "lighthouses");
  const { job, documents } = await ingested(
    { urls: ["https://youtu.be/v1"] },
    { chunkSize: 300, metadata: { year: 2026 } },
  );
  expect(job).toMatchObject({ status: "COMPLETED", error: null });
  expect(documents).toHaveLength(1);
  expect(documents[0]).toMatchObject({
    name: "On lighthouses",
    status: "COMPLETED",
    source: { type: "YOUTUBE_VIDEO", videoId: "v1", url: watch("v1"), duration: 200 },
    properties: { mimeType: "text/vtt" },
  });
  const hits = await space.search("talk about lighthouses", { mode: "keyword", topK: 100 });
  expect(hits.length).toBeGreaterThan(3);
  for (const { text, metadata } of hits) {
    const first = Number(/Sentence (\d+)/.exec(text)?.[1]);
    // A chunk that begins within a sentence has the time of that one.
    const begins = text.search(/Sentence/) > 20 ? first - 1 : first;
    expect(metadata).toMatchObject({ youtube_timestamp: begins * 5, url: watch("v1"), year: 2026 });
    expect(Object.keys(metadata ?? {})).not.toContain("youtube_title");
  }
  const late = await space.search("talk about lighthouses", {
    filter: { youtube_timestamp: { $gte: 100 } },
    topK: 100,
  });
  expect(late.length).toBeGreaterThan(0);
  expect(late.length).toBeLessThan(hits.length);
});

it("adds a video's metadata on request, below the caller's keys", async () => {
  addVideo("v1", "lighthouses");
  await ingested({ urls: [watch("v1")], includeMetadata: true }, { metadata: { youtube_channel: "mine" } });
  const [hit] = await space.search("lighthouses");
  expect(hit!.metadata).toMatchObject({
    youtube_title: "On lighthouses",
    youtube_channel: "mine",
    youtube_published: "2024-05-06T07:08:09-07:00",
    youtube_views: 1_234_567,
    youtube_description: "All about On lighthouses.",
    youtube_language: "en",
    youtube_timestamp: 0,
  });
});

it("ingests the videos of lists, each once", async () => {
  for (const id of ["v1", "v2", "v3", "v4"]) addVideo(id);
  site.playlists.set("PLa", [["v1", "v2"], ["v3"]]);
  site.playlists.set("UU1234567890123456789012", [["v3", "v4"], ["v1"]]);
  const { job, documents } = await ingested({
    urls: [
      "https://www.youtube.com/playlist?list=PLa",
      "https://www.youtube.com/channel/UC1234567890123456789012",
      watch("v2"),
      "https://www.youtube.com/shorts/v2",
    ],
  });
  expect(job).toMatchObject({ status: "COMPLETED" });
  expect(documents.map(({ source }) => (source as { videoId: string }).videoId)).toEqual(["v2", "v1", "v3", "v4"]);
  expect(documents.map(({ name }) => name)).toEqual(["On v2", "On v1", "On v3", "On v4"]);
});

it("fails only the videos without a transcript", async () => {
  addVideo("v1");
  addVideo("v2", "fjords", "no");
  site.videos.set("v3", { title: "Mine", playability: { status: "LOGIN_REQUIRED", reason: "This video is private" } });
  const { job, documents } = await ingested({ urls: ["v1", "v2", "v3"].map(watch), transcriptLanguages: ["fi", "en"] });
  expect(documents.map(({ status, error }) => [status, error])).toEqual([
    ["COMPLETED", null],
    ["FAILED", expect.stringContaining("no transcript in fi, en; it has no")],
    ["FAILED", expect.stringContaining("is private")],
  ]);
  expect(job.status).toBe("FAILED");
  expect(job.error).toContain("2 of 3");
});

it("fails the job if a list is unavailable, and ingests all others", async () => {
  addVideo("v1");
  site.playlists.set("PLa", [["v1"]]);
  const { job, documents } = await ingested({
    urls: ["https://www.youtube.com/playlist?list=PLnone", "https://www.youtube.com/playlist?list=PLa"],
  });
  expect(job).toMatchObject({ status: "FAILED", error: expect.stringContaining("PLnone") });
  expect(documents.map(({ status }) => status)).toEqual(["COMPLETED"]);
});

it("retries temporary failures", async () => {
  addVideo("v1");
  site.troubles.set("/watchv1", [{ status: 503, headers: { "retry-after": "0" } }, null]);
  const { job } = await ingested({ urls: [watch("v1")] });
  expect(job.status).toBe("COMPLETED");
  expect(site.asked.filter((path) => path.startsWith("/watch"))).toHaveLength(2);
});

it("keeps a video with an unchanged transcript, and adds new videos of a list", async () => {
  addVideo("v1");
  site.playlists.set("PLa", [["v1"]]);
  const { job, documents } = await ingested({ urls: ["https://www.youtube.com/playlist?list=PLa"] });
  const before = await space.documents.get(documents[0]!.id);
  addVideo("v2");
  site.playlists.set("PLa", [["v1", "v2"]]);
  const again = await (await space.ingestJobs.reingest(job.id)).done();
  expect(again.status).toBe("COMPLETED");
  const after = (await space.documents.list({ order: "asc" })).items;
  expect(after.map(({ name, status }) => [name, status])).toEqual([
    ["On v1", "COMPLETED"],
    ["On v2", "COMPLETED"],
  ]);
  expect(after[0]).toMatchObject({ id: before.id, totalChunks: before.totalChunks, source: before.source });
});

describe("addresses", () => {
  it("that are no YouTube URLs are rejected before a job is created", async () => {
    const error = await failureOf(() =>
      space.ingest({
        type: "YOUTUBE",
        urls: [watch("v1"), "https://videos.example/watch?v=1", "https://www.youtube.com/"],
      }),
    );
    expect(error.code).toBe("invalid_input");
    expect(error.issues.map(({ field }) => field)).toEqual(["payload.urls[1]", "payload.urls[2]"]);
    expect(error.message).toContain("https://videos.example/watch?v=1");
    expect((await space.ingestJobs.list()).items).toHaveLength(0);
  });

  it("come from a custom source if there is one", async () => {
    const details = { title: "Own", channel: null, published: null, views: null, description: null, duration: null };
    const own: VideoSource = {
      name: "own",
      recognise: (address) => {
        const videoId = /^https:\/\/own\.example\/(\w+)$/.exec(address)?.[1];
        return videoId ? { videoId, url: address, title: null, duration: null } : null;
      },
      async *list() {},
      transcript: async () => ({
        language: "en",
        isAutomatic: false,
        captions: [
          { startSeconds: 61.9, endSeconds: 63, text: "Refrain --> <b>refrain</b>" },
          { startSeconds: 63, endSeconds: 64, text: "Refrain --> <b>refrain</b>" },
        ],
        details,
      }),
    };
    const other = openKnowledgeBase({ videoSource: own });
    const handle = await newNamespace(other);
    const job = await (await handle.ingest({ type: "YOUTUBE", urls: ["https://own.example/a"] })).done();
    expect(job).toMatchObject({ status: "COMPLETED" });
    const [hit] = await handle.search("refrain", { mode: "keyword" });
    expect(hit!.text).toBe("[01:01] Refrain --> <b>refrain</b> Refrain --> <b>refrain</b>");
    expect(hit!.metadata).toMatchObject({ youtube_timestamp: 61 });
    const [document] = (await handle.documents.list()).items;
    expect(document!.source).toMatchObject({ type: "YOUTUBE_VIDEO", duration: null });
    await other.close();
  });
});
