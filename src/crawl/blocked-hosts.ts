/** Remembered of one site; the first of them are forgotten before the others. */
const MOST = 1000;

/** The addresses of a site for which it has asked to be left alone, so that one that always does so doesn't end every crawl of the site. */
export class Refusals {
  /** By address, how many refusals there were with its first one, and whether the site has given other pages since. */
  readonly #addresses = new Map<string, { readonly first: number; others: boolean }>();
  #count = 0;

  /** How many there have been; a request takes it along to {@link answered}. */
  get count(): number {
    return this.#count;
  }

  get isEmpty(): boolean {
    return this.#addresses.size === 0;
  }

  /** The site has given a page, which was asked for after so many refusals. */
  answered(address: string, after: number): void {
    this.#addresses.delete(address);
    for (const refused of this.#addresses.values()) refused.others ||= after >= refused.first;
  }

  /** Whether it was refused, and no others were asked for and given since. */
  isInDoubt(address: string): boolean {
    return this.#addresses.get(address)?.others === false;
  }

  /** Returns whether it is the address's own doing: it was refused before, and others were asked for and given since. */
  refused(address: string): boolean {
    const known = this.#addresses.get(address);
    if (known?.others) return true;
    this.#count++;
    if (known === undefined) this.#addresses.set(address, { first: this.#count, others: false });
    const [oldest] = this.#addresses.keys();
    if (this.#addresses.size > MOST) this.#addresses.delete(oldest!);
    return false;
  }
}
