import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnowledgeBase, KnowledgeBaseOptions } from "lorebase";
import { type ServeOptions, serve } from "lorebase/http";
import { openKnowledgeBase } from "../../support/knowledge-base.js";

export interface TestServer {
  readonly kb: KnowledgeBase;
  readonly url: string;
  /** The directory of the database and the blobs. */
  readonly directory: string;
  close(): Promise<void>;
}

/** Serves a knowledge base on disk on a free port. */
export async function startServer(
  options: Omit<KnowledgeBaseOptions, "directory"> = {},
  handler: Omit<ServeOptions, "port"> = {},
): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), "lorebase-test-"));
  const kb = openKnowledgeBase({ ...options, directory });
  const server = await serve(kb, { port: 0, ...handler });
  return {
    kb,
    url: server.url,
    directory,
    async close() {
      await server.close();
      await kb.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export interface TestOrganization {
  readonly id: string;
  /** A key with the scope admin. */
  readonly key: string;
}

/** Creates an organization, by default without a plan and so without limits. */
export async function newOrganization(
  { kb }: Pick<TestServer, "kb">,
  plan: "free" | "pro" | null = null,
): Promise<TestOrganization> {
  const { id } = await kb.organizations.create({ name: "Tested", plan });
  const { key } = await kb.organization(id).apiKeys.create({ name: "Tests", scope: "admin" });
  return { id, key };
}
