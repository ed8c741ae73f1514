import { KnowledgeBaseError } from "../../errors.js";

export interface ExpectedVectors {
  /** The vendor's name in error messages, such as `OpenAI`. */
  readonly vendor: string;
  readonly model: string;
  readonly textCount: number;
  readonly dimensions: number;
}

/**
 * Returns the vectors of a response, normalized and in the order of their texts. Some vendors send vectors in any
 * order, each with its text's index, and some don't normalize vectors of reduced dimensions.
 *
 * @param body The response body.
 * @throws KnowledgeBaseError `provider_failed`, not retryable, for a wrong number of vectors, a vector of the wrong
 * length or with a value that is not finite, or an invalid index
 */
export function readVectors(
  embeddings: readonly (readonly number[])[],
  body: unknown,
  expected: ExpectedVectors,
): readonly Float32Array[] {
  const { textCount, dimensions } = expected;
  if (embeddings.length !== textCount)
    throw invalidResponse(expected, `${embeddings.length} vectors for ${textCount} texts`);
  const vectors = new Array<Float32Array>(textCount);
  for (const [position, embedding] of embeddings.entries()) {
    if (embedding.length !== dimensions) {
      throw invalidResponse(expected, `a vector of ${embedding.length} dimensions instead of ${dimensions}`);
    }
    const index = readIndex(body, position) ?? position;
    if (vectors[index] !== undefined || !(index >= 0 && index < textCount)) {
      throw invalidResponse(expected, `a repeated or unexpected vector for text ${index}`);
    }
    const norm = Math.hypot(...embedding);
    // Checks each value, because arithmetic converts values such as null to numbers.
    if (!embedding.every(Number.isFinite) || !Number.isFinite(norm)) {
      throw invalidResponse(expected, "a vector with a value that is not finite");
    }
    vectors[index] = Float32Array.from(embedding, (value) => (norm === 0 ? 0 : value / norm));
  }
  return vectors;
}

/** Returns `data[position].index`, which OpenAI and Voyage send, or `null`. */
function readIndex(body: unknown, position: number): number | null {
  const data = (body as { readonly data?: unknown } | null | undefined)?.data;
  const index: unknown = Array.isArray(data) ? data[position]?.index : null;
  return typeof index === "number" ? index : null;
}

function invalidResponse({ vendor, model }: ExpectedVectors, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${vendor} ${model} returned ${problem}.`);
}
