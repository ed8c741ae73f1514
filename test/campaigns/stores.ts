import { parseArgs } from "node:util";
import { storeCampaign, type Vendor } from "./store-campaign.js";

// npm run campaign:stores -- [--vendor Pinecone] [--call 3] [--library PATH]
const { values } = parseArgs({
  options: {
    vendor: { type: "string", multiple: true, default: ["Pinecone", "Turbopuffer"] },
    call: { type: "string", multiple: true },
    library: { type: "string", default: new URL("../../dist/index.js", import.meta.url).href },
  },
});
for (const vendor of values.vendor as Vendor[]) {
  const { calls, kills } = await storeCampaign({
    vendor,
    library: values.library,
    ...(values.call && { choose: () => values.call!.map(Number) }),
    onKill({ call, applied, request, faults, published }) {
      const when = applied ? "after" : "before";
      console.log(`${vendor} ${call} ${when} ${request}: ${published} published, ${faults.length} faults`);
      for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`);
    },
  });
  const faulty = kills.filter(({ faults }) => faults.length > 0).length;
  console.log(JSON.stringify({ vendor, calls, kills: kills.length, faulty }));
  if (faulty > 0) process.exitCode = 1;
}
