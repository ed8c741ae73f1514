import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";

// Runs statements of PostgreSQL while this thread waits, in a thread that has the connection.

const THREAD = `
const { workerData: { port, done } } = require("node:worker_threads");
const pg = require("pg");
const parserOf = (oid, format) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format));
port.on("message", async ({ url, statements }) => {
  let answer;
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: parserOf } });
  try {
    await client.connect();
    const results = await client.query(statements.join(";\\n"));
    answer = { rows: [results].flat().at(-1).rows };
  } catch (error) {
    answer = { error: String(error) };
  }
  await client.end().catch(() => {});
  port.postMessage(answer);
  Atomics.add(done, 0, 1);
  Atomics.notify(done, 0);
});
`;

/** A thread that runs statements for a thread that waits. */
export class SyncQuery {
  readonly #done = new Int32Array(new SharedArrayBuffer(4));
  readonly #port;
  readonly #thread;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData = { port: port2, done: this.#done };
    this.#thread = new Worker(THREAD, { eval: true, workerData, transferList: [port2] });
    this.#thread.unref();
  }

  /** Runs statements, several ones in one transaction. Returns the rows of the last. */
  run(url: string, statements: readonly string[]): readonly unknown[] {
    const before = Atomics.load(this.#done, 0);
    this.#port.postMessage({ url, statements });
    Atomics.wait(this.#done, 0, before);
    const { rows, error } = receiveMessageOnPort(this.#port)!.message as { rows: unknown[]; error?: string };
    if (error) throw new Error(error);
    return rows;
  }

  async end(): Promise<void> {
    await this.#thread.terminate();
  }
}
