import { closeSync, openSync, writeSync } from "node:fs";
import { seeded } from "../../texts.js";

const CENTRES = 1000;
/** The length of the noise added to a centre of length 1. Neighbours have a cosine of about 1 / (1 + 0.7²) = 0.67. */
const SPREAD = 0.7;
const BLOCK = 4096;
const GAUSSIANS = 1 << 16;

/**
 * Vectors of length 1 in 1000 clusters: random centres with isotropic Gaussian noise. They are harder than the vectors
 * of embedding models, which differ more in some directions: the best of a cluster are very close to each other.
 */
export class Mixture {
  readonly #dimensions: number;
  readonly #centres: readonly Float32Array[];
  readonly #gaussians: Float32Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    const random = seeded(11);
    this.#gaussians = Float32Array.from({ length: GAUSSIANS }, () => gaussian(random));
    this.#centres = Array.from({ length: CENTRES }, () => {
      return unit(Float32Array.from({ length: dimensions }, () => gaussian(random)));
    });
  }

  /** Returns the same vectors for the same seed. */
  draw(count: number, seed: number): Float32Array[] {
    const random = seeded(seed);
    return Array.from({ length: count }, () => this.#draw(random));
  }

  /** Writes vectors to a file as consecutive 32-bit floats. */
  write(path: string, rows: number, seed: number): void {
    const random = seeded(seed);
    const file = openSync(path, "w");
    const block = new Float32Array(BLOCK * this.#dimensions);
    for (let first = 0; first < rows; first += BLOCK) {
      const count = Math.min(BLOCK, rows - first);
      for (let row = 0; row < count; row++) block.set(this.#draw(random), row * this.#dimensions);
      writeSync(file, new Uint8Array(block.buffer, 0, count * this.#dimensions * 4));
    }
    closeSync(file);
  }

  #draw(random: () => number): Float32Array {
    const centre = this.#centres[Math.floor(random() * CENTRES)]!;
    const scale = SPREAD / Math.sqrt(this.#dimensions);
    const vector = new Float32Array(this.#dimensions);
    for (let at = 0; at < vector.length; at++) {
      vector[at] = centre[at]! + scale * this.#gaussians[Math.floor(random() * GAUSSIANS)]!;
    }
    return unit(vector);
  }
}

/** Box–Muller transform. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}
