import { open } from "node:fs/promises";

/** Flushes a directory, which makes its renamed files durable. Windows can't flush directories, and doesn't need to. */
export async function flushDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
