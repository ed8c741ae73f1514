import { expect, test } from "vitest";
import { mutationCampaign } from "../campaigns/mutation-campaign.js";

test("damaged files of every format are read or refused, and nothing hangs or crashes", async () => {
  const { read, refused, contained, faults } = await mutationCampaign({ files: 40, seed: 7 });
  expect(faults).toEqual([]);
  expect(read + refused + contained).toBe(40);
  // Both happen: a campaign that only ever reads, or only refuses, damages too little or too much.
  expect(Math.min(read, refused)).toBeGreaterThan(4);
}, 180_000);
