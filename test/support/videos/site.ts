import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A caption as the site keeps it: when, for how long, what. Milliseconds. */
export type SaidAt = readonly [startMs: number, durationMs: number, text: string];

export interface SiteTrack {
  readonly language: string;
  readonly isAutomatic?: boolean;
  readonly captions: readonly SaidAt[];
  /** @default "json3" */
  readonly form?: "json3" | "xml" | "srv3" | "nothing" | "a page";
}

export interface SiteVideo {
  readonly title: string;
  readonly seconds?: number;
  readonly tracks?: readonly SiteTrack[];
  /** What the site says where it may not be seen. */
  readonly playability?: { readonly status: string; readonly reason?: string };
}

/** What the site answers with in place of what was asked for. */
export type Trouble = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

/** A server that answers in the shape of the site's pages, with videos and lists that a test gives it. */
export class VideoSite {
  readonly videos = new Map<string, SiteVideo>();
  /** Parts of playlists, each a list of ids of videos. */
  readonly playlists = new Map<string, readonly (readonly string[])[]>();
  /** Ids of channels, by their paths. */
  readonly channels = new Map<string, string>();
  /** By path, in place of the answer, which null is; the last one stays. */
  readonly troubles = new Map<string, (Trouble | null)[]>();
  /** Paths with queries, in the order that they were asked for. */
  readonly asked: string[] = [];
  /** Lists in the form that came after renderers. */
  isNew = false;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<VideoSite> {
    const site = new VideoSite(createServer());
    site.#server.on("request", async (request: IncomingMessage, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      const { status, headers = {}, body: answer = "" } = site.#answer(request.url ?? "/", body);
      response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(answer);
    });
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    return site;
  }

  /** Forgets what a test gave it. */
  clear(): void {
    for (const given of [this.videos, this.playlists, this.channels, this.troubles]) given.clear();
    this.asked.length = 0;
    this.isNew = false;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, body: string): Trouble {
    this.asked.push(path);
    const url = new URL(path, this.origin);
    const troubles = this.troubles.get(url.pathname + (url.searchParams.get("v") ?? ""));
    const trouble = troubles && (troubles.length > 1 ? troubles.shift() : troubles[0]);
    if (trouble) return trouble;
    if (url.pathname === "/watch") return this.#watch(url.searchParams.get("v") ?? "");
    if (url.pathname === "/api/timedtext") return this.#captions(url.searchParams);
    if (url.pathname === "/playlist") return this.#playlist(url.searchParams.get("list") ?? "");
    if (url.pathname === "/youtubei/v1/browse") return this.#part(JSON.parse(body).continuation);
    const channel = this.channels.get(url.pathname);
    return channel === undefined
      ? { status: 404 }
      : page({ ytInitialData: { metadata: { channelMetadataRenderer: { title: "A channel", externalId: channel } } } });
  }

  #watch(videoId: string): Trouble {
    const video = this.videos.get(videoId);
    const playabilityStatus =
      video?.playability ??
      (video ? { status: "OK" } : { status: "ERROR", reason: "This video isn't available anymore" });
    const tracks = (video?.tracks ?? []).map(({ language, isAutomatic, form = "json3" }, index) => ({
      // One address is whole, the others of this site.
      baseUrl: `${index === 0 ? this.origin : ""}/api/timedtext?v=${videoId}&caps=asr&track=${index}&lang=${language}&as=${encodeURIComponent(form)}`,
      name: { simpleText: `Language ${language}` },
      vssId: `${isAutomatic ? "a" : ""}.${language}`,
      languageCode: language,
      ...(isAutomatic && { kind: "asr" }),
      isTranslatable: true,
    }));
    return page({
      ytInitialPlayerResponse: {
        responseContext: { note: 'a brace } and "quotes" \\ within a string {' },
        playabilityStatus,
        ...(video && {
          videoDetails: {
            videoId,
            title: video.title,
            lengthSeconds: String(video.seconds ?? 60),
            author: "The Channel",
            shortDescription: `All about ${video.title}.`,
            viewCount: "1234567",
          },
          microformat: { playerMicroformatRenderer: { publishDate: "2024-05-06T07:08:09-07:00" } },
          ...(tracks.length > 0 && {
            captions: {
              playerCaptionsTracklistRenderer: {
                captionTracks: tracks,
                translationLanguages: [{ languageCode: "fi", languageName: { simpleText: "Finnish" } }],
              },
            },
          }),
        }),
      },
    });
  }

  #captions(query: URLSearchParams): Trouble {
    const track = this.videos.get(query.get("v") ?? "")?.tracks?.[Number(query.get("track"))];
    if (!track) return { status: 404 };
    const { captions, form = "json3" } = track;
    switch (form) {
      case "nothing":
        return { status: 200 };
      case "a page":
        return { status: 200, body: "<!doctype html><title>Sorry</title>" };
      case "xml":
        return {
          status: 200,
          body: `<?xml version="1.0" encoding="utf-8" ?><transcript>${captions
            .map(
              ([start, length, text]) =>
                `<text start="${start / 1000}" dur="${length / 1000}">${escaped(escaped(text))}</text>`,
            )
            .join("")}</transcript>`,
        };
      case "srv3":
        return {
          status: 200,
          body: `<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><body>${captions
            .map(([start, length, text]) => `<p t="${start}" d="${length}"><s>${escaped(text)}</s></p>`)
            .join("")}</body></timedtext>`,
        };
      default:
        return { status: 200, body: JSON.stringify(json3(captions)) };
    }
  }

  #playlist(id: string): Trouble {
    const parts = this.playlists.get(id);
    if (!parts) {
      const alert = { alertRenderer: { type: "ERROR", text: { runs: [{ text: "The playlist does not exist." }] } } };
      return page({ ytInitialData: { alerts: [alert] } });
    }
    const contents = this.#items(id, 0);
    return page(
      {
        ytInitialData: {
          header: { playlistHeaderRenderer: { title: { simpleText: "A list" }, videoId: "not-listed1" } },
          contents: {
            twoColumnBrowseResultsRenderer: {
              tabs: [{ tabRenderer: { content: { sectionListRenderer: { contents } } } }],
            },
          },
        },
      },
      'ytcfg.set({"INNERTUBE_API_KEY":"key-of-pages","INNERTUBE_CLIENT_VERSION":"2.20260101.00.00"});',
    );
  }

  #part(continuation: string): Trouble {
    const [id = "", index] = continuation.split("#");
    const continuationItems = this.#items(id, Number(index));
    return {
      status: 200,
      body: JSON.stringify({ onResponseReceivedActions: [{ appendContinuationItemsAction: { continuationItems } }] }),
    };
  }

  #items(id: string, index: number): readonly unknown[] {
    const parts = this.playlists.get(id)!;
    const items: unknown[] = parts[index]!.map((videoId) => this.#item(videoId));
    if (parts[index + 1] === undefined) return items;
    const continuationCommand = { token: `${id}#${index + 1}`, request: "CONTINUATION_REQUEST_TYPE_BROWSE" };
    return [...items, { continuationItemRenderer: { continuationEndpoint: { continuationCommand } } }];
  }

  #item(videoId: string): unknown {
    const { title = "Deleted video", seconds = 60 } = this.videos.get(videoId) ?? {};
    if (!this.isNew) {
      return { playlistVideoRenderer: { videoId, title: { runs: [{ text: title }] }, lengthSeconds: String(seconds) } };
    }
    const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    return {
      lockupViewModel: {
        contentId: videoId,
        contentType: "LOCKUP_CONTENT_TYPE_VIDEO",
        contentImage: { thumbnailViewModel: { overlays: [{ badges: [{ thumbnailBadgeViewModel: { text } }] }] } },
        metadata: { lockupMetadataViewModel: { title: { content: title } } },
      },
    };
  }
}

function page(variables: Record<string, unknown>, script = ""): Trouble {
  const assignments = Object.entries(variables).map(
    ([name, value]) => `var ${name} = ${JSON.stringify(value).replaceAll("<", "\\u003c")};`,
  );
  return {
    status: 200,
    body: `<!doctype html><html><head><script>if (window.ytInitialPlayerResponse == null) {}</script></head><body><script nonce="n">${script}</script>${assignments.map((assignment) => `<script nonce="n">${assignment}</script>`).join("")}</body></html>`,
  };
}

function json3(captions: readonly SaidAt[]): unknown {
  return {
    wireMagic: "pb3",
    pens: [{}],
    events: [
      { tStartMs: 0, dDurationMs: 600_000, id: 1, wpWinPosId: 1, wsWinStyleId: 1 },
      ...captions.flatMap(([tStartMs, dDurationMs, text]) => [
        { tStartMs, dDurationMs, segs: text.split(/(?<= )/).map((utf8, index) => ({ utf8, tOffsetMs: index * 100 })) },
        { tStartMs: tStartMs + dDurationMs, aAppend: 1, segs: [{ utf8: "\n" }] },
      ]),
    ],
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#39;");
}
