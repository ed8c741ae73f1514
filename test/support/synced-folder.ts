import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { KnowledgeBase, KnowledgeBaseOptions, NamespaceHandle } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { afterAll, onTestFinished } from "vitest";
import { newNamespace, openKnowledgeBase } from "./knowledge-base.js";
import { providerOf } from "./providers.js";
import { temporaryDirectory } from "./temporary-directory.js";

export interface FolderTest {
  readonly kb: KnowledgeBase;
  readonly handle: NamespaceHandle;
  /** The folder to sync. */
  readonly dir: string;
  /** Writes a file long ago, as far as its times tell. */
  write(path: string, text: string | Uint8Array): void;
  remove(path: string): void;
  /** The texts that have come to the embedder since the last call. */
  embedded(): readonly string[];
  /** Paths and ids of the folder's documents. */
  ids(): Promise<Readonly<Record<string, string>>>;
}

let ticks = 0;
const embedder = fakeEmbedder({ provider: "COUNTING" });
const shared = open();
afterAll(() => shared.close());

function open(options: KnowledgeBaseOptions = {}): KnowledgeBase {
  return openKnowledgeBase({ embedders: [providerOf(embedder)], ...options });
}

/** A namespace with an embedder that counts, and an empty folder. Without options, tests share a knowledge base. */
export async function folderTest(options?: KnowledgeBaseOptions): Promise<FolderTest> {
  const kb = options ? open(options) : shared;
  if (options) onTestFinished(() => kb.close());
  const handle = await newNamespace(kb, { embeddingConfig: { provider: "COUNTING" } });
  const dir = temporaryDirectory();
  let seen = embedder.calls.length;
  return {
    kb,
    handle,
    dir,
    write(path, text) {
      const absolute = join(dir, path);
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, text);
      const time = 1_600_000_000 + ticks++;
      utimesSync(absolute, time, time);
    },
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    embedded() {
      const fresh = embedder.calls.slice(seen).filter(({ purpose }) => purpose === "document");
      seen = embedder.calls.length;
      return fresh.flatMap(({ texts }) => texts);
    },
    async ids() {
      const found: [string, string][] = [];
      for await (const { id, config } of handle.documents.iterate()) found.push([String(config.metadata?.path), id]);
      return Object.fromEntries(found);
    },
  };
}
