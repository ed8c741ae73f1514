import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The connections of one process to a server, which can be cut. */
export class CutProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #lost: Socket[] = [];
  #state: "open" | "refusing" | "silent" = "open";

  private constructor(server: Server, port: number) {
    this.#server = server;
    server.on("connection", (client) => this.#connect(client, port));
  }

  static async open(port: number): Promise<CutProxy> {
    const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new CutProxy(server, port);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections and refuses new ones. */
  refuse(): void {
    this.#state = "refusing";
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    for (const socket of this.#lost.splice(0)) socket.destroy();
  }

  /** Holds back what either side sends. Neither learns of it. */
  silence(): void {
    this.#state = "silent";
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** Holds back what the server sends on the present connections, until they are broken or {@link answer} is called. */
  holdAnswers(): void {
    for (const [, server] of this.#pairs) server.pause();
  }

  /** Sends bytes in place of the server's answers, and breaks all connections. */
  answer(bytes: Uint8Array): void {
    for (const [client, server] of this.#pairs) {
      server.destroy();
      client.end(bytes);
    }
  }

  /** Holds back what the present connections carry until they are broken, as a network does that has forgotten them. */
  lose(): void {
    this.silence();
    for (const pair of this.#pairs) this.#lost.push(...pair);
    this.#pairs.clear();
    this.#state = "open";
  }

  /** Admits connections, and delivers what was held back. */
  restore(): void {
    this.#state = "open";
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  close(): void {
    this.refuse();
    this.#server.close();
  }

  #connect(client: Socket, port: number): void {
    if (this.#state === "refusing") {
      client.destroy();
      return;
    }
    const server = connect(port, "127.0.0.1");
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay();
      from.on("data", (bytes) => void to.write(bytes));
      from.on("error", () => {});
      from.on("close", () => {
        this.#pairs.delete(pair);
        to.destroySoon();
      });
    }
    for (const socket of pair) this.#state === "silent" ? socket.pause() : socket.resume();
  }
}
