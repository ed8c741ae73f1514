import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Creates the engine's directory if it is missing. For `":memory:"`, creates a temporary one, which `remove` deletes.
 */
export async function openDirectory(
  directory: string,
): Promise<{ path: string; isTemporary: boolean; remove(): Promise<void> }> {
  if (directory === ":memory:") {
    const path = await mkdtemp(join(tmpdir(), "lorebase-"));
    return { path, isTemporary: true, remove: () => rm(path, { recursive: true, force: true }) };
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return { path: directory, isTemporary: false, remove: async () => {} };
}
