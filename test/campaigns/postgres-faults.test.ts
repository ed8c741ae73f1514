import { expect, it } from "vitest";
import { POSTGRES_MISSING } from "../support/postgres.js";
import { CampaignServer } from "./campaign-server.js";
import { postgresFaultCampaign } from "./postgres-fault-campaign.js";

it("loses, doubles and mixes nothing when processes are killed, cut off, or their server crashes", {
  timeout: 180_000,
}, async ({ skip }) => {
  const server = await CampaignServer.start();
  if (!server) return skip(POSTGRES_MISSING);
  const seed = Date.now() % 1_000_000;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  try {
    const rounds = { kill: 1, stop: 0, cut: 1, restart: 1 };
    const { faults, acknowledged } = await postgresFaultCampaign({ server, rounds, processes: 3, seed, library });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    expect(acknowledged).toBeGreaterThan(3);
  } finally {
    await server.end();
  }
});
