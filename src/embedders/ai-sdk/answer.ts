import { KnowledgeBaseError } from "../../errors.js";

export interface ExpectedAnswer {
  /** As in `OpenAI`. */
  readonly vendor: string;
  readonly model: string;
  readonly texts: number;
  readonly dimensions: number;
}

/**
 * The vectors of an answer in the order of their texts, of length 1. Some vendors say which text each is of; reduced dimensions of others
 * come unnormalized.
 *
 * @param body The answer as it came.
 * @throws KnowledgeBaseError `provider_failed`, which another attempt doesn't change, for vectors of another number, another length, with
 * values that are no finite numbers, or of texts that were not sent
 */
export function vectorsOf(
  embeddings: readonly (readonly number[])[],
  body: unknown,
  expected: ExpectedAnswer,
): readonly Float32Array[] {
  const { texts, dimensions } = expected;
  if (embeddings.length !== texts) throw wrong(expected, `${embeddings.length} vectors for ${texts} texts`);
  const vectors = new Array<Float32Array>(texts);
  for (const [place, embedding] of embeddings.entries()) {
    if (embedding.length !== dimensions) {
      throw wrong(expected, `a vector of ${embedding.length} dimensions where ${dimensions} are expected`);
    }
    const index = indexOf(body, place) ?? place;
    if (vectors[index] !== undefined || !(index >= 0 && index < texts)) {
      throw wrong(expected, `a vector for text ${index} twice, or where there is no such text`);
    }
    const length = Math.hypot(...embedding);
    // Of anything else, such as null, arithmetic would make a number.
    if (!embedding.every(Number.isFinite) || !Number.isFinite(length)) {
      throw wrong(expected, "a vector with a value that is no finite number");
    }
    vectors[index] = Float32Array.from(embedding, (value) => (length === 0 ? 0 : value / length));
  }
  return vectors;
}

/** `data[place].index` of OpenAI's and Voyage's answers; null where there is none. */
function indexOf(body: unknown, place: number): number | null {
  const data = (body as { readonly data?: unknown } | null | undefined)?.data;
  const index: unknown = Array.isArray(data) ? data[place]?.index : null;
  return typeof index === "number" ? index : null;
}

function wrong({ vendor, model }: ExpectedAnswer, what: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${vendor} ${model} returned ${what}.`);
}
