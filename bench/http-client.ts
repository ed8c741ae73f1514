import { Agent, request } from "node:http";
import { load } from "./load.js";

// The second process: it makes the searches that it is sent, over kept connections, and sends back what they took.

interface Order {
  readonly url: string;
  readonly apiKey: string;
  readonly queries: readonly string[];
  readonly lanes: number;
}

process.on("message", async ({ url, apiKey, queries, lanes }: Order) => {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const ask = (query: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      const call = request(url, { method: "POST", agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`The server answered ${response.statusCode}.`));
        response.resume().on("end", resolve);
      });
      call.on("error", reject).end(JSON.stringify({ query, mode: "keyword" }));
    });
  const figures = await load(ask, queries, lanes);
  agent.destroy();
  process.send!(figures);
});
