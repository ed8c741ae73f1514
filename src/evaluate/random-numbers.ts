/** Creates a generator of integers from 0 to 2³² - 1 that depend on the seed only: xorshift32 (Marsaglia 2003). */
export function createRandomNumbers(seed: number): () => number {
  // The state must not be zero. Multiplying by the golden ratio's bits separates the states of close seeds.
  let state = Math.imul(seed + 1, 0x9e3779b9) || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  for (let discarded = 0; discarded < 16; discarded++) next();
  return next;
}
