import { Agent, request } from "node:http";

const TIMEOUT_MS = 30_000;

/**
 * Calls a server over a fixed number of persistent connections. `fetch` would take several times the processor time of
 * the process that makes the load.
 */
export class SoakClient {
  readonly #agent: Agent;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    server: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
    connections: number,
  ) {
    // In turns, so that no connection is idle until the server closes it.
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
    this.#url = server.url;
    this.#headers = server.headers;
  }

  /** @throws if the server refuses the call, or hasn't answered after 30 s */
  call<Data>(method: string, path: string, body?: object): Promise<Data> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(`${method} ${path}: ${reason}`));
      const call = request(
        `${this.#url}${path}`,
        { method, agent: this.#agent, headers: this.#headers },
        (response) => {
          const parts: Buffer[] = [];
          response.on("error", ({ message }) => fail(message));
          response.on("data", (part) => parts.push(part));
          response.on("end", () => {
            const text = Buffer.concat(parts).toString();
            if (response.statusCode! < 300) resolve(JSON.parse(text).data);
            else fail(`answered ${response.statusCode}: ${text.slice(0, 500)}`);
          });
        },
      );
      call.setTimeout(TIMEOUT_MS, () => call.destroy(new Error("no answer within 30 s")));
      call.on("error", ({ message }) => fail(message));
      call.end(body && JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
