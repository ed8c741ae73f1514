/** Collects the metadata of an RTF document. */
export class RtfInfo {
  readonly values = new Map<string, string>();
  #text = "";
  #time = new Map<string, number>();

  begin(): void {
    this.#text = "";
    this.#time = new Map();
  }

  addText(text: string): void {
    this.#text += text;
  }

  applyWord(word: string, value: number | null): void {
    if (value !== null && /^(?:yr|mo|dy|hr|min)$/.test(word)) this.#time.set(word, value);
  }

  /** Ends a property: keeps its text, or else its time. */
  end(key: string | null): void {
    const text = this.#text.trim() || this.#date();
    if (key !== null && text !== "") this.values.set(key, text);
    this.begin();
  }

  #date(): string {
    const part = (word: string, digits: number): string => String(this.#time.get(word) ?? 0).padStart(digits, "0");
    if ((this.#time.get("yr") ?? 0) === 0) return "";
    return `${part("yr", 4)}-${part("mo", 2)}-${part("dy", 2)}T${part("hr", 2)}:${part("min", 2)}:00`;
  }
}
