import { type FileHandle, open } from "node:fs/promises";

/** The size of one read: large enough to be fast, and small enough for many concurrent downloads. */
const CHUNK_BYTES = 1 << 16;

export interface ReadOptions {
  readonly signal: AbortSignal | undefined;
  /** In bytes, `end` exclusive. A range that extends past the end of the file is truncated. */
  readonly range: { readonly start: number; readonly end: number } | undefined;
  /** Returns the error that the stream fails with, of the error of the signal or the file system. */
  readonly toError: (cause: unknown) => unknown;
}

/**
 * Opens a file and returns its size and a stream of its bytes; `null` if the file doesn't exist. The stream is complete
 * even if the file is renamed or deleted in the meantime. The file is closed when the stream ends, fails or is
 * cancelled.
 */
export async function streamFile(
  path: string,
  { signal, range, toError }: ReadOptions,
): Promise<{ size: number; body: ReadableStream<Uint8Array> } | null> {
  const file = await openIfPresent(path);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const end = Math.min(range?.end ?? size, size);
    return { size, body: streamBytes(file, Math.max(0, range?.start ?? 0), end, { signal, toError }) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openIfPresent(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, "r");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

function streamBytes(
  file: FileHandle,
  start: number,
  end: number,
  { signal, toError }: Pick<ReadOptions, "signal" | "toError">,
) {
  let position = start;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal?.throwIfAborted();
          const length = Math.min(CHUNK_BYTES, end - position);
          const { bytesRead, buffer } =
            length > 0 ? await file.read(new Uint8Array(length), 0, length, position) : { bytesRead: 0, buffer: null };
          if (buffer === null || bytesRead === 0) {
            await file.close();
            controller.close();
            return;
          }
          position += bytesRead;
          controller.enqueue(buffer.subarray(0, bytesRead));
        } catch (error) {
          await file.close();
          controller.error(toError(error));
        }
      },
      async cancel() {
        await file.close();
      },
    },
    // Reads nothing until the first pull, so an unread stream costs only a file handle.
    { highWaterMark: 0 },
  );
}
