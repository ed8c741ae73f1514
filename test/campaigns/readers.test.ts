import { expect, it } from "vitest";
import { POSTGRES_MISSING } from "../support/postgres.js";
import { CampaignServer } from "./campaign-server.js";
import { readerCampaign } from "./reader-campaign.js";

it("shows other processes each change of a document from its acknowledgement on, and no document in part", {
  timeout: 180_000,
}, async ({ skip }) => {
  const server = await CampaignServer.start();
  if (!server) return skip(POSTGRES_MISSING);
  const seed = Date.now() % 1_000_000;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  try {
    const options = { server, interleavings: 10, concurrency: 2, processes: 2, seed, library };
    const { faults, searches } = await readerCampaign(options);
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    expect(searches).toBeGreaterThanOrEqual(20);
  } finally {
    await server.end();
  }
});
