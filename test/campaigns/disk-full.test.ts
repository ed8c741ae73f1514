import { describe, expect, it } from "vitest";
import { type DiskFullRound, diskFullRound, missingRights } from "./disk-full-campaign.js";

const DATABASE: DiskFullRound = { place: "database", cause: "disk", size: 8 };
const FILES: readonly DiskFullRound[] = [
  { place: "blobs", cause: "disk", size: 4 },
  { place: "downloads", cause: "disk", size: 4 },
];
// One of the places of files in each run; `npm run campaign:disk-full` fills them all.
const rounds = [DATABASE, FILES[Math.floor(Math.random() * FILES.length)]!];
const missing = missingRights({ cause: "disk" });
if (missing !== null) console.log(`Skipped: ${missing}`);

describe("a full disk", () => {
  it.skipIf(missing !== null).each(rounds)(
    "stops neither searches nor deletions: $place, $cause",
    async (round) => {
      expect(await diskFullRound(round)).toEqual([]);
    },
    240_000,
  );
});
