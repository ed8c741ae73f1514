import { KnowledgeBaseError } from "../errors.js";
import { JsonShape } from "../util/json-shape.js";
import { BodyPace } from "./body-pace.js";
import type { FetchLimits, JsonLimits } from "./fetch-limits.js";

export interface BoundedBodyOptions extends Pick<FetchLimits, "idleMs" | "maxBytes" | "minimumRate" | "json"> {
  /** The response's origin, for messages. */
  readonly origin: string;
  /** The reason why the call was aborted, or `undefined`. */
  abortReason(): unknown;
  /** Called once when nothing more will be read, with an error if the connection must be closed. */
  onEnd(error?: unknown): void;
}

/** Wraps a body and enforces size, time and JSON limits. Reads nothing ahead. */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  { idleMs, maxBytes, minimumRate, json, origin, abortReason, onEnd }: BoundedBodyOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const pace = minimumRate === null ? null : new BodyPace(minimumRate);
  let bytes = 0;
  let shape: JsonShape | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        let timer: NodeJS.Timeout | undefined;
        const startedAt = performance.now();
        const idle = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(idleTimeout(origin, idleMs)), idleMs);
        });
        try {
          const { done, value } = await Promise.race([reader.read(), idle]);
          bytes += value?.length ?? 0;
          if (bytes > maxBytes) throw tooLarge(origin, maxBytes);
          if (json && value && bytes === value.length && startsAsJson(value)) shape = new JsonShape();
          if (json && value && shape) assertShape(origin, shape.add(value), json);
          const problem = value === undefined ? null : pace?.add(value.length, performance.now() - startedAt);
          if (problem) throw tooSlow(origin, problem);
          if (value) stream.enqueue(value);
          if (done) {
            onEnd();
            stream.close();
          }
        } catch (error) {
          const reason = abortReason() ?? (KnowledgeBaseError.is(error) ? error : interrupted(origin, error));
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

export function tooLarge(origin: string, maxBytes: number): KnowledgeBaseError {
  return new KnowledgeBaseError("limit_exceeded", `The response of ${origin} is larger than ${maxBytes} bytes.`);
}

function startsAsJson(start: Uint8Array): boolean {
  const [first] = Buffer.from(start.subarray(0, 100)).toString("latin1").trimStart();
  return first === "[" || first === "{";
}

function assertShape(origin: string, { depth, containers, values }: JsonShape, limits: JsonLimits): void {
  const refuse = (problem: string) => new KnowledgeBaseError("limit_exceeded", `The response of ${origin} ${problem}.`);
  if (depth > limits.maxDepth) throw refuse(`is nested deeper than ${limits.maxDepth} levels`);
  if (containers > limits.maxContainers) throw refuse(`has more than ${limits.maxContainers} lists and objects`);
  if (values > limits.maxValues) throw refuse(`has more than ${limits.maxValues} values`);
}

function tooSlow(origin: string, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `The response of ${origin} is too slow: ${problem}.`, {
    retryable: true,
  });
}

function idleTimeout(origin: string, idleMs: number): KnowledgeBaseError {
  const message = `The response of ${origin} stalled: no data for ${idleMs / 1000} s.`;
  return new KnowledgeBaseError("provider_failed", message, { retryable: true });
}

function interrupted(origin: string, cause: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `The response of ${origin} was interrupted.`, {
    retryable: true,
    cause,
  });
}
