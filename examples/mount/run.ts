// Shared by the servers of this folder: listening, and running one of them directly.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "lorebase";

export interface Running {
  readonly url: string;
  close(): Promise<void>;
}

export async function listen(server: Server, port: number): Promise<Running> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `http://127.0.0.1:${taken}`, close };
}

/** Starts a server if its module is the program; does nothing if it is imported. */
export async function runDirectly(
  module: ImportMeta,
  start: (kb: KnowledgeBase, port: number) => Promise<Running>,
): Promise<void> {
  if (process.argv[1] !== fileURLToPath(module.url)) return;
  const kb = new KnowledgeBase({ directory: "./kb" });
  const { items } = await kb.apiKeys.list({ perPage: 1 });
  if (items.length === 0) {
    const { key } = await kb.apiKeys.create({ name: "first", scope: "admin" });
    console.log(`Your API key, shown this once: ${key}`);
  }
  const { url, close } = await start(kb, Number(process.env.PORT ?? 3000));
  process.once("SIGINT", async () => {
    await close();
    await kb.close();
  });
  console.log(`${url}/kb`);
}
