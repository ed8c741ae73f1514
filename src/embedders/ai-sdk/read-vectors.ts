import { KnowledgeBaseError } from "../../errors.js";

export interface ExpectedVectors {
  /** As in `OpenAI`. */
  readonly vendor: string;
  readonly model: string;
  readonly texts: number;
  readonly dimensions: number;
}

/**
 * The vectors of a response in the order of their texts, normalized: some vendors return an index with each vector, and
 * some return reduced dimensions unnormalized.
 *
 * @param body The response body.
 * @throws KnowledgeBaseError `provider_failed`, not retryable, for a wrong number or length of vectors, values that are
 * not finite, or an invalid index
 */
export function readVectors(
  embeddings: readonly (readonly number[])[],
  body: unknown,
  expected: ExpectedVectors,
): readonly Float32Array[] {
  const { texts, dimensions } = expected;
  if (embeddings.length !== texts) throw invalidResponse(expected, `${embeddings.length} vectors for ${texts} texts`);
  const vectors = new Array<Float32Array>(texts);
  for (const [position, embedding] of embeddings.entries()) {
    if (embedding.length !== dimensions) {
      throw invalidResponse(expected, `a vector of ${embedding.length} dimensions instead of ${dimensions}`);
    }
    const index = indexOf(body, position) ?? position;
    if (vectors[index] !== undefined || !(index >= 0 && index < texts)) {
      throw invalidResponse(expected, `a repeated or unexpected vector for text ${index}`);
    }
    const norm = Math.hypot(...embedding);
    // Arithmetic would convert other values, such as null, to numbers.
    if (!embedding.every(Number.isFinite) || !Number.isFinite(norm)) {
      throw invalidResponse(expected, "a vector with a value that is not finite");
    }
    vectors[index] = Float32Array.from(embedding, (value) => (norm === 0 ? 0 : value / norm));
  }
  return vectors;
}

/** `data[position].index` in responses of OpenAI and Voyage, or `null`. */
function indexOf(body: unknown, position: number): number | null {
  const data = (body as { readonly data?: unknown } | null | undefined)?.data;
  const index: unknown = Array.isArray(data) ? data[position]?.index : null;
  return typeof index === "number" ? index : null;
}

function invalidResponse({ vendor, model }: ExpectedVectors, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${vendor} ${model} returned ${problem}.`);
}
