/** Counts the content of a document that is not in its blocks, for its warnings. */
export class SkippedContent {
  #images = 0;
  #charts = 0;
  readonly #objects = new Map<string, number>();

  countImage(): void {
    this.#images++;
  }

  countChart(): void {
    this.#charts++;
  }

  /** @param kind In the plural, for the warning: `embedded files`. */
  countObject(kind: string): void {
    this.#objects.set(kind, (this.#objects.get(kind) ?? 0) + 1);
  }

  warnings(): string[] {
    const warnings: string[] = [];
    if (this.#images > 0) {
      const images = this.#images === 1 ? "An image" : `${this.#images} images`;
      warnings.push(`${images} without a description could not be read.`);
    }
    if (this.#charts > 0)
      warnings.push(`${this.#charts === 1 ? "A chart" : `${this.#charts} charts`} could not be read.`);
    for (const [kind, count] of this.#objects) warnings.push(`Not read: ${kind} (${count}).`);
    return warnings;
  }
}
