import { expect, it } from "vitest";
import { parseYoutubeUrl } from "#dist/sources/youtube/youtube-url.js";

const ID = "dQw4w9WgXcQ";
const video = { kind: "video", videoId: ID };
const playlist = { kind: "playlist", playlistId: "PLabc_-123" };

it.each([
  [`https://www.youtube.com/watch?v=${ID}`, video],
  [`http://youtube.com/watch?t=4&v=${ID}&list=PLabc_-123`, video],
  [`https://m.youtube.com/watch?v=${ID}#t=1`, video],
  [`https://music.youtube.com/watch?v=${ID}`, video],
  [`https://youtu.be/${ID}?si=xyz`, video],
  [`https://www.youtube.com/shorts/${ID}`, video],
  [`https://www.youtube.com/live/${ID}?feature=share`, video],
  [`https://www.youtube.com/embed/${ID}`, video],
  [`https://www.youtube-nocookie.com/embed/${ID}`, video],
  [`https://WWW.YOUTUBE.COM/watch?v=${ID}`, video],
  ["https://www.youtube.com/playlist?list=PLabc_-123", playlist],
  ["https://music.youtube.com/playlist?list=PLabc_-123", playlist],
  ["https://www.youtube.com/watch?list=PLabc_-123", playlist],
  ["https://www.youtube.com/embed/videoseries?list=PLabc_-123", playlist],
  ["https://www.youtube.com/@some.name", { kind: "channel", path: "/@some.name" }],
  ["https://www.youtube.com/@some.name/videos", { kind: "channel", path: "/@some.name" }],
  ["https://www.youtube.com/%40some", { kind: "channel", path: "/@some" }],
  [
    "https://m.youtube.com/channel/UC1234567890123456789012",
    { kind: "channel", path: "/channel/UC1234567890123456789012" },
  ],
  ["https://www.youtube.com/c/Name/featured", { kind: "channel", path: "/c/Name" }],
  ["https://www.youtube.com/user/name", { kind: "channel", path: "/user/name" }],
])("knows %s", (address, found) => {
  expect(parseYoutubeUrl(address)).toEqual(found);
});

it.each([
  "https://www.youtube.com/",
  "https://www.youtube.com/watch",
  "https://www.youtube.com/watch?v=",
  "https://www.youtube.com/watch?v=a%2Fb",
  "https://www.youtube.com/results?search_query=cats",
  "https://www.youtube.com/playlist",
  "https://www.youtube.com/playlist?list=%0d%0a",
  "https://www.youtube.com/channel/",
  "https://youtu.be/",
  `https://youtube.com.evil.example/watch?v=${ID}`,
  `https://evil.example/watch?v=${ID}`,
  `https://user:secret@www.youtube.com/watch?v=${ID}`,
  `ftp://www.youtube.com/watch?v=${ID}`,
  `https://notyoutube.com/watch?v=${ID}`,
  "no address",
])("knows nothing of %s", (address) => {
  expect(parseYoutubeUrl(address)).toBeNull();
});
