import { Agent, request } from "node:http";
import { load } from "./load.js";

// The load generator: runs the searches that it receives, over persistent connections, and sends back the latencies.

interface Load {
  readonly url: string;
  readonly apiKey: string;
  readonly queries: readonly string[];
  readonly connections: number;
}

process.on("message", async ({ url, apiKey, queries, connections }: Load) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const search = (query: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      const call = request(url, { method: "POST", agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`The server answered ${response.statusCode}.`));
        response.resume().on("end", resolve);
      });
      call.on("error", reject).end(JSON.stringify({ query, mode: "keyword" }));
    });
  const figures = await load(search, queries, connections);
  agent.destroy();
  process.send!(figures);
});
