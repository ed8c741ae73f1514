/** Counts what a document holds and no block shows, for its warnings. */
export class Losses {
  #pictures = 0;
  #charts = 0;
  readonly #objects = new Map<string, number>();

  picture(): void {
    this.#pictures++;
  }

  chart(): void {
    this.#charts++;
  }

  /** @param kind As it stands in the warning, in the plural: `embedded files`. */
  object(kind: string): void {
    this.#objects.set(kind, (this.#objects.get(kind) ?? 0) + 1);
  }

  warnings(): string[] {
    const warnings: string[] = [];
    if (this.#pictures > 0)
      warnings.push(
        `${this.#pictures === 1 ? "A picture" : `${this.#pictures} pictures`} without a description could not be read.`,
      );
    if (this.#charts > 0)
      warnings.push(`${this.#charts === 1 ? "A chart" : `${this.#charts} charts`} could not be read.`);
    for (const [kind, count] of this.#objects) warnings.push(`Not read: ${kind} (${count}).`);
    return warnings;
  }
}
