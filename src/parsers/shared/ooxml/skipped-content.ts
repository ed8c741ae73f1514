/** Counts the content that a document's blocks lack, for the document's warnings. */
export class SkippedContent {
  #imageCount = 0;
  #chartCount = 0;
  readonly #countsByKind = new Map<string, number>();

  countImage(): void {
    this.#imageCount++;
  }

  countChart(): void {
    this.#chartCount++;
  }

  /** @param kind In the plural, for the warning: `embedded files`. */
  countObject(kind: string): void {
    this.#countsByKind.set(kind, (this.#countsByKind.get(kind) ?? 0) + 1);
  }

  warnings(): string[] {
    const warnings: string[] = [];
    if (this.#imageCount > 0) {
      const images = this.#imageCount === 1 ? "An image" : `${this.#imageCount} images`;
      warnings.push(`${images} without a description could not be read.`);
    }
    if (this.#chartCount > 0)
      warnings.push(`${this.#chartCount === 1 ? "A chart" : `${this.#chartCount} charts`} could not be read.`);
    for (const [kind, count] of this.#countsByKind) warnings.push(`Not read: ${kind} (${count}).`);
    return warnings;
  }
}
