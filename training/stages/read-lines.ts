import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** The lines of a text file; one whose name ends in `.zst` is unpacked by the `zstd` command. */
export async function* readLines(path: string): AsyncGenerator<string> {
  if (!path.endsWith(".zst")) {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
    return;
  }
  const unpacking = spawn("zstd", ["-dc", "--long=27", path], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(unpacking, "close");
  yield* createInterface({ input: unpacking.stdout });
  const [code] = await ended;
  if (code !== 0) throw new Error(`zstd could not unpack ${path}: it ended with code ${code}`);
}
