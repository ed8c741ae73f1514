import { SIGNATURE_BYTES } from "./min-hash.js";

/** Bytes of a band. Signatures become candidates if all bytes of any band are the same. */
const BAND_BYTES = 4;
const BANDS_OF_ADJACENT_BYTES = SIGNATURE_BYTES / BAND_BYTES;
/** Each byte belongs to a band of adjacent bytes, and to one of bytes that are far apart: two bands share one at most. */
const BANDS = 2 * BANDS_OF_ADJACENT_BYTES;
/** A band that many signatures share, as in a template, yields the first of them: one original is enough. */
const MAX_MATCHES = 16;
/** The share of bytes that is the same by chance in texts without a common feature. */
const CHANCE = 1 / 256;

/** A signature of the index that resembles a given one. */
export interface Candidate {
  /** The position of the signature in the index. */
  readonly index: number;
  /** The estimated similarity of the texts. */
  readonly estimate: number;
}

/**
 * Finds signatures that are probably of similar texts: those with the same bytes in a band, by hash tables of the bands
 * (locality-sensitive hashing: Indyk and Motwani 1998; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets",
 * section 3.4).
 */
export class SignatureIndex {
  readonly #signatures: Uint8Array;
  /** The first entry of each chain; -1 for none. An entry is a signature's position times `BANDS`, plus the band. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  /** For each signature, the last search that came across it. */
  readonly #seen: Uint32Array;
  #searches = 0;

  /** @param signatures Concatenated. */
  constructor(signatures: Uint8Array) {
    this.#signatures = signatures;
    const count = signatures.length / SIGNATURE_BYTES;
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(1, count * BANDS)))).fill(-1);
    this.#next = new Int32Array(count * BANDS);
    this.#seen = new Uint32Array(count);
    // From last to first, so that chains begin with the first signatures.
    for (let index = count - 1; index >= 0; index--) if (!isEmpty(signatures, index)) this.#add(index);
  }

  #add(index: number): void {
    for (let band = 0; band < BANDS; band++) {
      const slot = this.#slotOf(bandOf(this.#signatures, index, band), band);
      const entry = index * BANDS + band;
      this.#next[entry] = this.#heads[slot]!;
      this.#heads[slot] = entry;
    }
  }

  /** Returns the candidates for the signature at a position of others, in no particular order. */
  find(others: Uint8Array, at: number, minEstimate: number): Candidate[] {
    const candidates: Candidate[] = [];
    if (isEmpty(others, at)) return candidates;
    this.#searches++;
    for (let band = 0; band < BANDS; band++) {
      const key = bandOf(others, at, band);
      let matches = 0;
      for (let entry = this.#heads[this.#slotOf(key, band)]!; entry >= 0; entry = this.#next[entry]!) {
        const index = Math.floor(entry / BANDS);
        if (entry % BANDS !== band || bandOf(this.#signatures, index, band) !== key) continue;
        if (++matches > MAX_MATCHES) break;
        if (this.#seen[index] === this.#searches) continue;
        this.#seen[index] = this.#searches;
        const estimate = this.#estimate(index, others, at);
        if (estimate >= minEstimate) candidates.push({ index, estimate });
      }
    }
    return candidates;
  }

  #estimate(index: number, others: Uint8Array, at: number): number {
    const [start, otherStart] = [index * SIGNATURE_BYTES, at * SIGNATURE_BYTES];
    let same = 0;
    for (let byte = 0; byte < SIGNATURE_BYTES; byte++)
      if (this.#signatures[start + byte] === others[otherStart + byte]) same++;
    return (same / SIGNATURE_BYTES - CHANCE) / (1 - CHANCE);
  }

  #slotOf(key: number, band: number): number {
    const hash = Math.imul(key ^ Math.imul(band + 1, 0x9e3779b1), 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & (this.#heads.length - 1);
  }
}

function bandOf(signatures: Uint8Array, index: number, band: number): number {
  const start = index * SIGNATURE_BYTES;
  const isAdjacent = band < BANDS_OF_ADJACENT_BYTES;
  const first = start + (isAdjacent ? band * BAND_BYTES : band - BANDS_OF_ADJACENT_BYTES);
  const step = isAdjacent ? 1 : BANDS_OF_ADJACENT_BYTES;
  return (
    signatures[first]! |
    (signatures[first + step]! << 8) |
    (signatures[first + 2 * step]! << 16) |
    (signatures[first + 3 * step]! << 24)
  );
}

/** Returns whether a signature is of a text without features, which resembles no other. */
function isEmpty(signatures: Uint8Array, index: number): boolean {
  const start = index * SIGNATURE_BYTES;
  for (let byte = start; byte < start + SIGNATURE_BYTES; byte++) if (signatures[byte] !== 255) return false;
  return true;
}
