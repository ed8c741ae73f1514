import { expect, it } from "vitest";
import { POSTGRES_MISSING } from "../support/postgres.js";
import { postgresCampaign } from "./postgres-campaign.js";

it("runs each task once in several processes, also when they are killed or suspended, and loses no event", async ({
  skip,
}) => {
  const outcome = await postgresCampaign({ tasks: 200, processes: 3, kills: 2, stops: 1, leaseMs: 1000 });
  if (!outcome) return skip(POSTGRES_MISSING);
  expect(outcome.faults).toEqual([]);
  expect(outcome.events).toBe(800);
  // Organizations take turns: the small ones don't wait until the large one's tasks have ended.
  expect(outcome.smallDoneAt).toBeLessThan(0.7);
}, 180_000);
