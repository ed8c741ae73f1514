/** Remembers answers for a while, and no more than so many: the oldest goes first. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #lifetimeMs: number;
  readonly #size: number;

  constructor({ lifetimeMs, size }: { readonly lifetimeMs: number; readonly size: number }) {
    this.#lifetimeMs = lifetimeMs;
    this.#size = size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry && performance.now() < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value): void {
    if (this.#entries.size >= this.#size) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, until: performance.now() + this.#lifetimeMs });
  }
}
