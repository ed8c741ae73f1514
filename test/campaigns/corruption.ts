import { parseArgs } from "node:util";
import { corruptionCampaign } from "./corruption-campaign.js";

// npm run campaign:corruption -- [--flips 100] [--files 50] [--seed 1]
const { values } = parseArgs({
  options: {
    flips: { type: "string", default: "100" },
    files: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const { flips, files, seed } = values;
console.log(`seed ${seed}`);
const outcome = await corruptionCampaign({
  flips: Number(flips),
  files: Number(files),
  seed: Number(seed),
  library: new URL("../../dist/index.js", import.meta.url).href,
  onFlip: (flip) => console.log(JSON.stringify(flip)),
});
const live = outcome.flips.filter((flip) => flip.live.length > 0);
const figures = {
  flips: outcome.flips.length,
  live: live.length,
  found: live.filter(({ isFound }) => isFound).length,
  restored: live.filter(({ isRestored }) => isRestored).length,
  altered: outcome.flips.filter(({ altered }) => altered.length > 0).length,
  structures: outcome.structures,
  files: outcome.files,
};
console.log(JSON.stringify({ seed: Number(seed), ...figures }));
const { changed, found, refused, failed } = outcome.files;
const isKept = outcome.structures.every(({ isFound, isUnchanged }) => isFound && isUnchanged);
const isGood = isKept && figures.altered === 0 && figures.found >= 0.95 * figures.live && found === changed;
process.exitCode = isGood && refused === changed && failed === changed ? 0 : 1;
