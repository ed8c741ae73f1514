import { parseArgs } from "node:util";
import { slowOriginsCampaign } from "./slow-origins-campaign.js";

const MOST_MS = 2000;
const MOST_MB = 100;

// npm run campaign:slow-origins -- [--origins 8]
const { values } = parseArgs({ options: { origins: { type: "string", default: "8" } } });
const { texts, bomb } = await slowOriginsCampaign({ origins: Number(values.origins) });
console.table(texts);
console.table([bomb]);
const slowest = Math.max(...texts.map(({ ms }) => ms));
console.log(
  `the slowest text took ${slowest} ms, of ${MOST_MS} that it may; the bomb ${bomb.grownMb} MB, of ${MOST_MB}`,
);
process.exitCode = slowest > MOST_MS || (bomb.grownMb ?? 0) > MOST_MB ? 1 : 0;
