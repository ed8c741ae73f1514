import { createHash } from "node:crypto";

/** What a file's bytes must be. */
export interface ExpectedBytes {
  /** SHA-256 in hex. */
  readonly sha256: string;
  /** Creates the error for bytes that are others. */
  readonly error: () => Error;
}

/**
 * Passes on a file's bytes while hashing them. Holds back the last part until the hash is known, so that whoever reads
 * altered bytes gets an error and never all of them.
 */
export function verifiedBody(
  body: ReadableStream<Uint8Array>,
  { sha256, error }: ExpectedBytes,
): ReadableStream<Uint8Array> {
  const hash = createHash("sha256");
  const reader = body.getReader();
  let held: Uint8Array | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            if (hash.digest("hex") !== sha256) throw error();
            if (held) controller.enqueue(held);
            controller.close();
            return;
          }
          hash.update(value);
          const ready = held;
          held = value;
          if (!ready) continue;
          controller.enqueue(ready);
          return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Like the body itself, reads nothing until the first pull.
    { highWaterMark: 0 },
  );
}

/** Reads a body and checks its hash. Returns the bytes. */
export async function readVerified(body: ReadableStream<Uint8Array>, expected: ExpectedBytes): Promise<Uint8Array> {
  return new Uint8Array(await new Response(verifiedBody(body, expected)).arrayBuffer());
}
