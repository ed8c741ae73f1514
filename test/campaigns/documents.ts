import { parseArgs } from "node:util";
import { documentCampaign } from "./document-campaign.js";
import { goodFiles } from "./good-files.js";
import { openResources, residentMb } from "./open-resources.js";

// npm run campaign:documents -- [--files 1000]
const { values } = parseArgs({ options: { files: { type: "string", default: "1000" } } });
const files = Number(values.files);
const started = performance.now();

async function look(at: string): Promise<void> {
  const [{ descriptors, active }, { own, children }] = [await openResources(), await residentMb()];
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(JSON.stringify({ at, seconds, ownMb: own, childrenMb: children, descriptors, active: active.length }));
}

await look("start");
const chunks = await documentCampaign({
  files: (await goodFiles()).map(([, file]) => file),
  stops: [files / 10, files / 2, files].map(Math.round),
  onDocuments: (done) => look(`${done} documents`),
});
await look("closed");
console.log(JSON.stringify({ files, chunks }));
