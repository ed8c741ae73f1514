interface RtfStyle {
  name: string;
  outline: number | null;
  basedOn: number | null;
}

const HEADING_NAME =
  /^(?:heading|überschrift|titre|título|titolo|rubrik|otsikko|nagłówek|заголовок|kop|見出し|标题|標題|제목)\s*(\d)/iu;
const MAX_ANCESTORS = 20;

/** The paragraph styles of an RTF file, by number. */
export class StyleSheet {
  readonly #styles = new Map<number, RtfStyle>();
  #current: RtfStyle = { name: "", outline: null, basedOn: null };
  #number = 0;
  #isParagraph = true;

  /** Begins a style; its control words and name follow. */
  begin(): void {
    this.#current = { name: "", outline: null, basedOn: null };
    this.#number = 0;
    this.#isParagraph = true;
  }

  word(word: string, value: number | null): void {
    if (word === "s") this.#number = value ?? 0;
    else if (word === "outlinelevel") this.#current.outline = value;
    else if (word === "sbasedon") this.#current.basedOn = value;
    else if (word === "cs" || word === "ds" || word === "ts") this.#isParagraph = false;
  }

  name(text: string): void {
    this.#current.name += text;
  }

  end(): void {
    if (this.#isParagraph && !this.#styles.has(this.#number)) this.#styles.set(this.#number, this.#current);
  }

  /** The heading level of a style, from 1; `null` for other styles. */
  heading(number: number): number | null {
    let next: number | null = number;
    for (let i = 0; next !== null && i < MAX_ANCESTORS; i++) {
      const style = this.#styles.get(next);
      if (style === undefined) return null;
      const name = style.name.replace(/;.*$/s, "").trim();
      const level = HEADING_NAME.exec(name)?.[1];
      if (level !== undefined && level !== "0") return Number(level);
      if (/^title$/i.test(name)) return 1;
      if (style.outline !== null) return style.outline < 9 ? style.outline + 1 : null;
      next = style.basedOn === next ? null : style.basedOn;
    }
    return null;
  }
}
