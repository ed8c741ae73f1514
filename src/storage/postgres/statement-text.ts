/** A literal, a quoted name, or a placeholder. */
export const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g;

/** Replaces the placeholders `?` of statements by `$1`, `$2` …, except within literals and quoted names. */
export class StatementTexts {
  readonly #numbered = new Map<string, string>();

  numbered(sql: string): string {
    const known = this.#numbered.get(sql);
    if (known !== undefined) return known;
    let count = 0;
    const text = sql.replace(TOKENS, (token) => (token === "?" ? `$${++count}` : token));
    // Lists and filters of different lengths make different texts.
    if (this.#numbered.size >= MAX_TEXTS) this.#numbered.clear();
    this.#numbered.set(sql, text);
    return text;
  }
}

const MAX_TEXTS = 2000;
