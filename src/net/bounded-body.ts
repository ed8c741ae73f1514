import { KnowledgeBaseError } from "../errors.js";
import { JsonShape } from "../util/json-shape.js";
import { BodyPace } from "./body-pace.js";
import type { FetchLimits, JsonLimits } from "./fetch-limits.js";

export interface BoundedBodyOptions extends Pick<FetchLimits, "idleMs" | "maxBytes" | "minimumRate" | "json"> {
  /** The answer's origin, for messages. */
  readonly origin: string;
  /** What the call was ended with from outside; undefined while it goes on. */
  ended(): unknown;
  /** Called once, when nothing more will be read; with an error where the connection is to be given up. */
  onEnd(error?: unknown): void;
}

/** A body that counts what it gives and never waits longer than its limits say. It reads nothing ahead. */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  { idleMs, maxBytes, minimumRate, json, origin, ended, onEnd }: BoundedBodyOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const pace = minimumRate === null ? null : new BodyPace(minimumRate);
  let bytes = 0;
  let shape: JsonShape | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        let timer: NodeJS.Timeout | undefined;
        const asked = performance.now();
        const silence = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(silent(origin, idleMs)), idleMs);
        });
        try {
          const { done, value } = await Promise.race([reader.read(), silence]);
          bytes += value?.length ?? 0;
          if (bytes > maxBytes) throw tooLarge(origin, maxBytes);
          if (json && value && bytes === value.length && beginsAsJson(value)) shape = new JsonShape();
          if (json && value && shape) assertShape(origin, shape.add(value), json);
          const problem = value === undefined ? null : pace?.add(value.length, performance.now() - asked);
          if (problem) throw tooSlow(origin, problem);
          if (value) stream.enqueue(value);
          if (done) {
            onEnd();
            stream.close();
          }
        } catch (error) {
          const reason = ended() ?? (KnowledgeBaseError.is(error) ? error : brokenOff(origin, error));
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
  return new KnowledgeBaseError("limit_exceeded", `The answer of ${origin} is larger than ${maxBytes} bytes.`);
}

function beginsAsJson(start: Uint8Array): boolean {
  const [first] = Buffer.from(start.subarray(0, 100)).toString("latin1").trimStart();
  return first === "[" || first === "{";
}

function assertShape(origin: string, { depth, containers, values }: JsonShape, limits: JsonLimits): void {
  const refuse = (problem: string) => new KnowledgeBaseError("limit_exceeded", `The answer of ${origin} ${problem}.`);
  if (depth > limits.maxDepth) throw refuse(`is nested deeper than ${limits.maxDepth} levels`);
  if (containers > limits.maxContainers) throw refuse(`has more than ${limits.maxContainers} lists and objects`);
  if (values > limits.maxValues) throw refuse(`has more than ${limits.maxValues} values`);
}

function tooSlow(origin: string, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `The answer of ${origin} is too slow: ${problem}.`, {
    retryable: true,
  });
}

function silent(origin: string, idleMs: number): KnowledgeBaseError {
  const message = `The answer of ${origin} did not go on within ${idleMs} ms.`;
  return new KnowledgeBaseError("provider_failed", message, { retryable: true });
}

function brokenOff(origin: string, cause: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `The answer of ${origin} broke off.`, { retryable: true, cause });
}
