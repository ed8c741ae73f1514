import { describe, expect, it } from "vitest";
import { type DiskFullRound, diskFullRound, missingRights } from "./disk-full-campaign.js";

const rounds: readonly DiskFullRound[] = [
  { place: "database", cause: "disk", size: 8 },
  { place: "blobs", cause: "disk", size: 4 },
  { place: "downloads", cause: "disk", size: 4 },
];
const missing = { disk: missingRights({ cause: "disk" }), limit: missingRights({ cause: "limit" }) };
for (const reason of new Set(Object.values(missing))) if (reason !== null) console.log(`Skipped: ${reason}`);

describe("a full disk", () => {
  for (const round of rounds)
    it.skipIf(missing[round.cause] !== null)(
      `stops neither searches nor deletions: ${round.place}, ${round.cause}`,
      async () => {
        expect(await diskFullRound(round)).toEqual([]);
      },
      240_000,
    );
});
