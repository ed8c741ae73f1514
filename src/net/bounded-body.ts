import { KnowledgeBaseError } from "../errors.js";
import { JsonShape } from "../util/json-shape.js";
import type { FetchLimits, JsonLimits } from "./fetch-limits.js";
import { TransferRateMonitor } from "./transfer-rate.js";

export interface BoundedBodyOptions extends Pick<FetchLimits, "idleMs" | "maxBytes" | "minimumRate" | "json"> {
  /** The response's origin, for messages. */
  readonly origin: string;
  /** Returns the reason why the call was aborted, or `undefined`. */
  abortReason(): unknown;
  /** Called once when nothing more will be read, with an error if the connection must be closed. */
  onEnd(error?: unknown): void;
}

/** Wraps a body to enforce limits on its size, time and JSON structure. Doesn't read ahead. */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  { idleMs, maxBytes, minimumRate, json, origin, abortReason, onEnd }: BoundedBodyOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const monitor = minimumRate === null ? null : new TransferRateMonitor(minimumRate);
  let byteCount = 0;
  let shape: JsonShape | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        let timer: NodeJS.Timeout | undefined;
        const startedAt = performance.now();
        const idleTimeout = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(idleTimeoutError(origin, idleMs)), idleMs);
        });
        try {
          const { done, value } = await Promise.race([reader.read(), idleTimeout]);
          byteCount += value?.length ?? 0;
          if (byteCount > maxBytes) throw tooLargeError(origin, maxBytes);
          if (json && value && byteCount === value.length && startsAsJson(value)) shape = new JsonShape();
          if (json && value && shape) requireWithinLimits(origin, shape.add(value), json);
          const problem = value === undefined ? null : monitor?.add(value.length, performance.now() - startedAt);
          if (problem) throw tooSlowError(origin, problem);
          if (value) stream.enqueue(value);
          if (done) {
            onEnd();
            stream.close();
          }
        } catch (error) {
          const reason = abortReason() ?? (KnowledgeBaseError.is(error) ? error : interruptedError(origin, error));
          onEnd(reason);
          stream.error(reason);
        } finally {
          clearTimeout(timer);
        }
      },
      cancel(reason) {
        onEnd(reason ?? new DOMException("The body was cancelled.", "AbortError"));
      },
    },
    { highWaterMark: 0 },
  );
}

export function tooLargeError(origin: string, maxBytes: number): KnowledgeBaseError {
  return new KnowledgeBaseError("limit_exceeded", `The response from ${origin} is larger than ${maxBytes} bytes.`);
}

function startsAsJson(start: Uint8Array): boolean {
  const [first] = Buffer.from(start.subarray(0, 100)).toString("latin1").trimStart();
  return first === "[" || first === "{";
}

function requireWithinLimits(
  origin: string,
  { depth, containerCount, valueCount }: JsonShape,
  limits: JsonLimits,
): void {
  const error = (rule: string) => new KnowledgeBaseError("limit_exceeded", `The response from ${origin} ${rule}.`);
  if (depth > limits.maxDepth) throw error(`is nested deeper than ${limits.maxDepth} levels`);
  if (containerCount > limits.maxContainers) throw error(`has more than ${limits.maxContainers} arrays and objects`);
  if (valueCount > limits.maxValues) throw error(`has more than ${limits.maxValues} values`);
}

function tooSlowError(origin: string, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `The response from ${origin} is too slow: ${problem}.`, {
    retryable: true,
  });
}

function idleTimeoutError(origin: string, idleMs: number): KnowledgeBaseError {
  const message = `The response from ${origin} stalled: no data for ${idleMs / 1000} s.`;
  return new KnowledgeBaseError("provider_failed", message, { retryable: true });
}

function interruptedError(origin: string, cause: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `The response from ${origin} was interrupted.`, {
    retryable: true,
    cause,
  });
}
