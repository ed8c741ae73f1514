/** The bytes of a signature: one for each hash function. */
export const SIGNATURE_BYTES = 128;

/** The factors and addends of the hash functions. Signatures are stored, so they must never change. */
const FACTORS = new Uint32Array(SIGNATURE_BYTES);
const ADDENDS = new Uint32Array(SIGNATURE_BYTES);
for (let index = 0; index < SIGNATURE_BYTES; index++) {
  FACTORS[index] = mix(2 * index + 1) | 1;
  ADDENDS[index] = mix(2 * index + 2);
}

/**
 * Writes the lowest 8 bits of the smallest hash of the features by each hash function. Two signatures have the same byte
 * with the probability of the features' similarity, or by chance (Broder 1997, "On the resemblance and containment of
 * documents"; Li and König 2010, "b-Bit minwise hashing"). Without features, all bytes are 255.
 */
export function writeSignature(features: ReadonlySet<string>, signature: Uint8Array): void {
  const smallest = new Uint32Array(SIGNATURE_BYTES).fill(0xffffffff);
  for (const feature of features) {
    const hash = hashOf(feature);
    for (let index = 0; index < SIGNATURE_BYTES; index++) {
      const value = mix(Math.imul(hash, FACTORS[index]!) + ADDENDS[index]!);
      if (value < smallest[index]!) smallest[index] = value;
    }
  }
  for (let index = 0; index < SIGNATURE_BYTES; index++) signature[index] = smallest[index]! & 0xff;
}

/** FNV-1a over UTF-16 units, mixed. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(hash);
}

/** The last steps of MurmurHash3, after which each bit depends on all others. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
