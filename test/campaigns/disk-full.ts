import { parseArgs } from "node:util";
import { type DiskFullRound, diskFullRound, missingRights } from "./disk-full-campaign.js";

// npm run campaign:disk-full -- [--sizes 8,24,32,48,64]
const { values } = parseArgs({ options: { sizes: { type: "string", default: "8,24,32,48,64" } } });
const rounds = values.sizes.split(",").flatMap((size) =>
  (["database", "blobs", "downloads"] as const).flatMap((place) =>
    (["disk", "limit"] as const).map((cause): DiskFullRound => {
      // Files are smaller than a database.
      return { place, cause, size: place === "database" ? Number(size) : Math.ceil(Number(size) / 4) };
    }),
  ),
);
let clean = 0;
for (const round of rounds) {
  const missing = missingRights(round);
  const faults = missing === null ? await diskFullRound(round).catch((error) => [String(error)]) : [missing];
  if (faults.length === 0) clean++;
  console.log(JSON.stringify({ ...round, faults }));
}
console.log(`${clean} of ${rounds.length} rounds`);
process.exitCode = clean === rounds.length ? 0 : 1;
