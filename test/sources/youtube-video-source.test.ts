import type { VideoSource } from "lorebase";
import { youtubeVideoSource } from "lorebase";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureOf } from "../support/knowledge-base.js";
import { type SaidAt, type SiteTrack, VideoSite } from "../support/videos/site.js";

let site: VideoSite;
let source: VideoSource;
beforeEach(async () => {
  site = await VideoSite.start();
  source = youtubeVideoSource({ baseUrl: site.origin });
});
afterEach(() => site.close());

const SAID: readonly SaidAt[] = [
  [0, 1500, "Hello and welcome"],
  [1500, 2000, "to Tom & Jerry's <garden> &constructor;"],
];
const track = (language: string, more: Partial<SiteTrack> = {}): SiteTrack => ({ language, captions: SAID, ...more });
const transcript = (id: string, languages: readonly string[] = ["en"]) => source.transcript(id, languages, { fetch });
const refused = (id: string, languages?: readonly string[]) => failureOf(() => transcript(id, languages));

async function listed(address: string) {
  const parts = [];
  for await (const part of source.list(address, { fetch })) parts.push(part);
  return parts;
}

describe("a transcript", () => {
  it.each(["json3", "xml", "srv3"] as const)("is read as %s", async (form) => {
    site.videos.set("video-of-me", { title: "Me", tracks: [track("en", { form })] });
    expect(await transcript("video-of-me")).toEqual({
      language: "en",
      isAutomatic: false,
      captions: [
        { startSeconds: 0, endSeconds: 1.5, text: "Hello and welcome" },
        { startSeconds: 1.5, endSeconds: 3.5, text: "to Tom & Jerry's <garden> &constructor;" },
      ],
      details: {
        title: "Me",
        channel: "The Channel",
        published: "2024-05-06T07:08:09-07:00",
        views: 1_234_567,
        description: "All about Me.",
        duration: 60,
      },
    });
    expect(site.asked[1]).toContain("fmt=json3");
  });

  it.each([
    [["en"], ["en", "de"], "en", false],
    [["de", "en"], ["en", "de"], "de", false],
    [["fr", "de"], ["en", "de"], "de", false],
    [["en"], ["en-GB", "en"], "en", false],
    [["en"], ["en*", "en-GB"], "en-GB", false],
    [["en"], ["en*"], "en", true],
    [["en"], ["de", "en-US*", "en*"], "en", true],
    [["EN"], ["en-us"], "en-us", false],
    [["pt-BR", "pt"], ["pt", "pt-PT"], "pt", false],
    [["zh-Hant"], ["zh", "zh-Hant-TW"], "zh-Hant-TW", false],
    [["e", "en"], ["en"], "en", false],
  ])("in %j of %j is in %s", async (languages, has, language, isAutomatic) => {
    const tracks = has.map((name) => track(name.replace("*", ""), { isAutomatic: name.endsWith("*") }));
    site.videos.set("one", { title: "One", tracks });
    expect(await transcript("one", languages)).toMatchObject({ language, isAutomatic });
  });

  it("in machine translation is ignored", async () => {
    site.videos.set("one", { title: "One", tracks: [track("sv"), track("en", { isAutomatic: true })] });
    const error = await refused("one", ["fi", "de"]);
    expect(error).toMatchObject({ code: "not_found", retryable: false });
    expect(error.message).toBe("The video one has no transcript in fi, de; it has sv, en (automatic).");
  });

  it("that is missing is reported", async () => {
    site.videos.set("one", { title: "One" });
    expect(await refused("one")).toMatchObject({ code: "not_found", message: "The video one has no transcript." });
    site.videos.set("one", { title: "One", tracks: [track("en", { captions: [] })] });
    expect(await refused("one")).toMatchObject({ code: "not_found", message: expect.stringContaining("is empty") });
    site.videos.set("one", { title: "One", tracks: [track("en", { form: "nothing" })] });
    expect(await refused("one")).toMatchObject({ code: "provider_failed", retryable: false });
  });
});

describe("a video", () => {
  it.each([
    ["LOGIN_REQUIRED", "Private video. Sign in if you've been granted access", "forbidden", "is private", false],
    ["LOGIN_REQUIRED", "Sign in to confirm your age", "forbidden", "age-restricted", false],
    ["AGE_VERIFICATION_REQUIRED", "This video may be inappropriate", "forbidden", "age-restricted", false],
    ["LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "provider_failed", "for now", true],
    ["ERROR", "This video has been removed by the uploader", "not_found", "has been removed", false],
    ["UNPLAYABLE", "Not available in your country", "forbidden", "in your country", false],
    ["LIVE_STREAM_OFFLINE", "This live event will begin in 3 hours.", "not_ready", "in 3 hours", false],
  ])("that the site rejects with %s: %s", async (status, reason, code, message, retryable) => {
    site.videos.set("one", { title: "One", tracks: [track("en")], playability: { status, reason } });
    const error = await refused("one");
    expect(error).toMatchObject({ code, retryable });
    expect(error.message).toContain("video one");
    expect(error.message).toContain(message);
  });

  it.each([
    [
      "too many requests",
      { status: 429, headers: { "retry-after": "7" } },
      { code: "provider_failed", retryable: true, retryAfterMs: 7000 },
    ],
    ["an outage", { status: 503 }, { code: "provider_failed", retryable: true }],
    ["a refusal", { status: 403 }, { code: "provider_failed", retryable: false }],
    ["an absence", { status: 404 }, { code: "not_found", retryable: false }],
    [
      "a page of another shape",
      { status: 200, body: "<html>new</html>" },
      { message: expect.stringContaining("ytInitialPlayerResponse") },
    ],
    [
      "a broken script",
      { status: 200, body: "<script>var ytInitialPlayerResponse = {oops};</script>" },
      { message: expect.stringContaining("may have changed") },
    ],
    [
      "an empty answer",
      { status: 200, body: "<script>var ytInitialPlayerResponse = {};</script>" },
      { message: expect.stringContaining("playability") },
    ],
    [
      "a form for consent",
      { status: 200, body: '<form action="https://consent.youtube.com/save" method="POST">' },
      { message: expect.stringContaining("consent") },
    ],
  ])("that fails with %s", async (_, trouble, error) => {
    site.troubles.set("/watchone", [trouble]);
    expect(await refused("one")).toMatchObject(error);
  });

  it("with a transcript in an unknown format", async () => {
    site.videos.set("one", { title: "One", tracks: [track("en", { form: "a page" })] });
    expect(await refused("one")).toMatchObject({ code: "provider_failed", retryable: false });
  });
});

describe("a list", () => {
  beforeEach(() => {
    for (const id of ["v1", "v2", "v3", "v4"]) site.videos.set(id, { title: `Title ${id}`, seconds: 754 });
    site.playlists.set("PLlist", [["v1", "v2"], ["v3"], ["v4"]]);
  });

  it.each([false, true])("is followed to its end (new form: %s)", async (isNew) => {
    site.isNew = isNew;
    const parts = await listed("https://www.youtube.com/playlist?list=PLlist");
    expect(parts.map((part) => part.map(({ videoId }) => videoId))).toEqual([["v1", "v2"], ["v3"], ["v4"]]);
    expect(parts[0]![0]).toEqual({
      videoId: "v1",
      url: "https://www.youtube.com/watch?v=v1",
      title: "Title v1",
      duration: 754,
    });
    expect(site.asked.filter((path) => path.startsWith("/youtubei/"))).toHaveLength(2);
  });

  it("of a channel lists its uploads", async () => {
    const id = "UC1234567890123456789012";
    site.channels.set("/@name", id);
    site.channels.set("/c/Name", id);
    site.playlists.set("UU1234567890123456789012", [["v2"], ["v4"]]);
    for (const path of ["@name", "@name/shorts", "c/Name", `channel/${id}`]) {
      const parts = await listed(`https://www.youtube.com/${path}`);
      expect(parts.flat().map(({ videoId }) => videoId)).toEqual(["v2", "v4"]);
    }
    const error = await failureOf(() => listed("https://www.youtube.com/@nobody"));
    expect(error).toMatchObject({ code: "not_found", message: expect.stringContaining("@nobody") });
  });

  it("that goes on in circles ends", async () => {
    site.troubles.set("/youtubei/v1/browse", [{ status: 200, body: circle() }]);
    expect((await listed("https://www.youtube.com/playlist?list=PLlist")).length).toBeLessThan(5);
  });

  it("that does not exist is reported in the site's words", async () => {
    const error = await failureOf(() => listed("https://www.youtube.com/playlist?list=PLnone"));
    expect(error).toMatchObject({ code: "not_found", retryable: false });
    expect(error.message).toContain("The playlist does not exist.");
  });

  it("in an unknown format is reported", async () => {
    site.troubles.set("/youtubei/v1/browse", [{ status: 200, body: "{}" }]);
    const error = await failureOf(() => listed("https://www.youtube.com/playlist?list=PLlist"));
    expect(error.message).toContain("next page");
    site.troubles.set("/playlist", [{ status: 200, body: "<html></html>" }]);
    expect((await failureOf(() => listed("https://www.youtube.com/playlist?list=PLlist"))).message).toContain(
      "ytInitialData",
    );
  });
});

function circle(): string {
  const continuationEndpoint = { continuationCommand: { token: "always the same" } };
  const continuationItems = [
    { playlistVideoRenderer: { videoId: "v1" } },
    { continuationItemRenderer: { continuationEndpoint } },
  ];
  return JSON.stringify({ onResponseReceivedActions: [{ appendContinuationItemsAction: { continuationItems } }] });
}
