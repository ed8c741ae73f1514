interface RtfStyle {
  name: string;
  outlineLevel: number | null;
  basedOn: number | null;
}

const HEADING_NAME_PATTERN =
  /^(?:heading|überschrift|titre|título|titolo|rubrik|otsikko|nagłówek|заголовок|kop|見出し|标题|標題|제목)\s*(\d)/iu;
const MAX_ANCESTORS = 20;

/** Collects the paragraph styles of an RTF file, by number. */
export class StyleSheet {
  readonly #styles = new Map<number, RtfStyle>();
  #style: RtfStyle = { name: "", outlineLevel: null, basedOn: null };
  #number = 0;
  #isParagraph = true;

  /** Begins a style. Its control words and name follow. */
  begin(): void {
    this.#style = { name: "", outlineLevel: null, basedOn: null };
    this.#number = 0;
    this.#isParagraph = true;
  }

  applyWord(word: string, value: number | null): void {
    if (word === "s") this.#number = value ?? 0;
    else if (word === "outlinelevel") this.#style.outlineLevel = value;
    else if (word === "sbasedon") this.#style.basedOn = value;
    else if (word === "cs" || word === "ds" || word === "ts") this.#isParagraph = false;
  }

  addName(text: string): void {
    this.#style.name += text;
  }

  /** Ends a style. Keeps the first definition of each number, and only paragraph styles. */
  end(): void {
    if (this.#isParagraph && !this.#styles.has(this.#number)) this.#styles.set(this.#number, this.#style);
  }

  /** Returns the heading level of a style, from 1, or `null` if the style is not a heading. */
  headingLevel(number: number): number | null {
    let current: number | null = number;
    for (let i = 0; current !== null && i < MAX_ANCESTORS; i++) {
      const style = this.#styles.get(current);
      if (style === undefined) return null;
      const name = style.name.replace(/;.*$/s, "").trim();
      const level = HEADING_NAME_PATTERN.exec(name)?.[1];
      if (level !== undefined && level !== "0") return Number(level);
      if (/^title$/i.test(name)) return 1;
      if (style.outlineLevel !== null) return style.outlineLevel < 9 ? style.outlineLevel + 1 : null;
      current = style.basedOn === current ? null : style.basedOn;
    }
    return null;
  }
}
