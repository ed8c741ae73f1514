import { decodeCodePage } from "../shared/charset/code-page.js";
import { webLink } from "../shared/html/web-link.js";
import { itemText, looseBlock } from "../shared/office/loose-blocks.js";
import { hyperlinkUrl, ParagraphFlow, type ParagraphFormat } from "../shared/office/paragraph-flow.js";
import { type Field, type Group, initialGroup, PLAIN_PARAGRAPH, setProperty } from "./group.js";
import { RtfInfo } from "./info.js";
import { RowShapes } from "./row-shapes.js";
import type { RtfHandler } from "./scan.js";
import { StyleSheet } from "./style-sheet.js";
import { CHARACTERS, CHARSETS, CODE_PAGE_WORDS, DESTINATIONS, FLOWS, INFO_KEYS, KNOWN_STARRED } from "./vocabulary.js";

/** Groups nested deeper than this share the state of the last one; no application nests this deep. */
const MAX_GROUPS = 5_000;

/** Builds blocks from the tokens of an RTF file. */
export class RtfInterpreter implements RtfHandler {
  readonly body = new ParagraphFlow();
  readonly info = new RtfInfo();
  readonly headers = new Set<string>();
  readonly footers = new Set<string>();
  images = 0;
  describedImages = 0;
  readonly #addsImages: boolean;
  readonly #styles = new StyleSheet();
  readonly #rows = new RowShapes();
  readonly #fonts = new Map<number, number>();
  readonly #groups: Group[] = [];
  #group: Group = initialGroup(this.body);
  #sharedGroups = 0;
  #codePage = 1252;
  #defaultFont = -1;
  #isStarred = false;
  /** Whether the group has just been opened, so that its first control word names it. */
  #isFresh = false;
  #remainingFallback = 0;
  #bytes = new Uint8Array(1024);
  #length = 0;
  #notes = 0;
  #marksWithoutNote = 0;
  #author = "";
  #property = { name: "", value: "" };

  constructor(addsImages: boolean) {
    this.#addsImages = addsImages;
  }

  /** Groups that were not closed when the file ended. */
  get openGroups(): number {
    return this.#groups.length;
  }

  end(): void {
    this.#decode();
    while (this.#groups.length > 0) this.close();
    this.body.end(this.#format());
  }

  open(): void {
    this.#decode();
    this.#remainingFallback = 0;
    this.#isFresh = true;
    this.#isStarred = false;
    if (this.#groups.length >= MAX_GROUPS) this.#sharedGroups++;
    else {
      this.#groups.push(this.#group);
      this.#group = { ...this.#group };
      if (this.#group.destination === "styles") this.#styles.begin();
    }
  }

  close(): boolean {
    this.#decode();
    this.#remainingFallback = 0;
    this.#isFresh = false;
    this.#isStarred = false;
    if (this.#sharedGroups > 0) {
      this.#sharedGroups--;
      return true;
    }
    const inner = this.#group;
    const outer = this.#groups.pop();
    if (outer === undefined) return false;
    if (inner.flow !== outer.flow) this.#endFlow(inner, outer);
    if (inner.field !== null && inner.field !== outer.field) this.#endField(inner.field);
    if (inner.destination === "styles" && outer.destination === "styles") this.#styles.end();
    if (inner.destination === "info" && inner.infoKey !== outer.infoKey) this.info.end(inner.infoKey);
    if (inner.destination === "propValue" && outer.destination !== "propValue") this.#endProperty(outer);
    this.#group = outer;
    return this.#groups.length > 0;
  }

  binary(): void {
    this.#decode();
    this.#isFresh = false;
    if (this.#remainingFallback > 0) this.#remainingFallback--;
  }

  text(bytes: Uint8Array): void {
    this.#isFresh = false;
    let from = 0;
    if (this.#remainingFallback > 0) {
      from = Math.min(bytes.length, this.#remainingFallback);
      this.#remainingFallback -= from;
    }
    if (this.#group.destination === "skip" || from >= bytes.length) return;
    const needed = this.#length + bytes.length - from;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(needed * 2);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(from === 0 ? bytes : bytes.subarray(from), this.#length);
    this.#length = needed;
  }

  symbol(symbol: string): void {
    this.#decode();
    if (this.#skipFallback()) return;
    if (symbol === "*") {
      this.#isStarred = true;
      return;
    }
    this.#isFresh = false;
    if (symbol === "~") this.#write("\u00a0");
    else if (symbol === "_") this.#write("-");
  }

  word(word: string, value: number | null): void {
    this.#decode();
    // A control word for a character may be the fallback of a Unicode character; others never are.
    if (CHARACTERS.has(word) && word !== "tab" && this.#skipFallback()) return;
    const isFirst = this.#isFresh;
    const isStarred = this.#isStarred;
    this.#isFresh = false;
    this.#isStarred = false;
    if (isFirst && this.#group.destination === "skip") return;
    if (isFirst && this.#enter(word, isStarred)) return;
    if (this.#group.destination === "skip") return;
    this.#apply(word, value);
  }

  /** Skips the next character if it is the fallback of a Unicode character that has been read. */
  #skipFallback(): boolean {
    if (this.#remainingFallback === 0) return false;
    this.#remainingFallback--;
    return true;
  }

  /** Begins a destination; returns false if the word is a property. */
  #enter(word: string, isStarred: boolean): boolean {
    const group = this.#group;
    const infoKey = group.destination === "info" ? INFO_KEYS.get(word) : undefined;
    const destination = DESTINATIONS.get(word);
    if (FLOWS.test(word)) this.#beginFlow(word);
    else if (infoKey !== undefined) {
      group.infoKey = infoKey;
      this.info.begin();
    } else if (destination !== undefined) group.destination = destination;
    else if (word === "field") group.field = { instruction: "", flow: group.flow, run: group.flow.beginRun() };
    else if (word === "pict") {
      if (group.destination === "flow") this.images++;
      group.destination = "props";
    } else if (word === "sp") this.#property = { name: "", value: "" };
    else if (word === "upr") {
      // The group contains the same text twice; the second, in `\ud`, is Unicode.
      if (group.destination === "flow") group.destination = "props";
    } else if (word === "ud") group.destination = group.infoKey === null ? "flow" : "info";
    else if (isStarred && !KNOWN_STARRED.has(word)) group.destination = "skip";
    else return word === "fldrslt";
    return true;
  }

  #beginFlow(word: string): void {
    const group = this.#group;
    if (word === "footnote" && this.#marksWithoutNote > 0) this.#marksWithoutNote--;
    else if (word === "footnote") this.#notes++;
    Object.assign(group, PLAIN_PARAGRAPH);
    group.destination = "flow";
    group.field = null;
    group.flow = new ParagraphFlow();
    this.#flowWords.set(group.flow, word);
  }

  readonly #flowWords = new WeakMap<ParagraphFlow, string>();

  #endFlow(inner: Group, outer: Group) {
    const { flow } = inner;
    const word = this.#flowWords.get(flow) ?? "";
    flow.end(this.#format());
    const { blocks } = flow.list;
    const lines = blocks.map(itemText).join("\n");
    if (word.startsWith("header") || word.startsWith("footer")) {
      if (/\p{L}/u.test(lines)) (word.startsWith("header") ? this.headers : this.footers).add(lines);
      return;
    }
    if (word === "shptxt" || word === "dptxbxtext") return outer.flow.attach(blocks);
    const label = word === "footnote" ? `[${this.#notes}] ` : this.#author === "" ? "" : `${this.#author}: `;
    if (lines !== "") outer.flow.attach([looseBlock("note", label + lines)]);
  }

  #endField(field: Field): void {
    const address = hyperlinkUrl(field.instruction);
    const symbol = /^\s*SYMBOL\s+(\d+)/i.exec(field.instruction)?.[1];
    field.flow.endRun(field.run, (text) => {
      if (address !== undefined) return webLink(text, address);
      return symbol !== undefined && text === "" ? symbolText(Number(symbol)) : text;
    });
  }

  /** Adds the description of an image or shape if a property contains it. */
  #endProperty(outer: Group): void {
    const { name, value } = this.#property;
    const text = value.replace(/\s+/g, " ").trim();
    if (name.trim() !== "wzDescription" || text === "") return;
    this.describedImages++;
    if (this.#addsImages) outer.flow.attach([looseBlock("image", text)]);
  }

  #apply(word: string, value: number | null) {
    const group = this.#group;
    if (group.destination === "styles") return this.#styles.word(word, value);
    if (group.destination === "fonts") return this.#font(word, value);
    if (group.destination === "info") return this.info.word(word, value);
    const character = CHARACTERS.get(word);
    if (character !== undefined) return this.#write(character);
    if (group.destination === "flow" && this.#rows.word(word, value)) return;
    if (setProperty(group, word, value)) return;
    switch (word) {
      case "u":
        this.#write(String.fromCharCode((value ?? 0) & 0xffff));
        this.#remainingFallback = group.fallback;
        return;
      case "plain":
        group.font = this.#defaultFont;
        group.isHidden = false;
        return;
      case "deff":
        this.#defaultFont = value ?? 0;
        group.font = this.#defaultFont;
        return;
      case "ansicpg":
        if (value !== null && value > 0) this.#codePage = value;
        return;
      case "chftn":
        return this.#noteMark();
      case "par":
      case "sect":
      case "page":
      case "column":
        return this.#endParagraph();
      case "cell":
      case "nestcell":
        return this.#endCell(word === "cell" ? 1 : Math.max(2, group.tableDepth));
      case "row":
      case "nestrow":
        if (group.destination === "flow")
          group.flow.endRow(word === "row" ? 1 : Math.max(2, group.tableDepth), this.#rows.shape());
        return;
      default:
        this.#codePage = CODE_PAGE_WORDS.get(word) ?? this.#codePage;
    }
  }

  #font(word: string, value: number | null): void {
    const group = this.#group;
    if (word === "f") group.font = value ?? 0;
    else if (word === "fcharset" && value !== null && value !== 1) {
      const codePage = CHARSETS.get(value);
      if (codePage !== undefined) this.#fonts.set(group.font, codePage);
    } else if (word === "cpg" && value !== null && value > 0) this.#fonts.set(group.font, value);
  }

  /** Writes the number of the next note; nothing within the note, where it is added before the text. */
  #noteMark() {
    const { flow, destination } = this.#group;
    if (destination !== "flow" || this.#flowWords.get(flow) === "footnote") return;
    this.#notes++;
    this.#marksWithoutNote = 1;
    this.#write(`[${this.#notes}]`);
  }

  #endParagraph(): void {
    this.#remainingFallback = 0;
    const { destination, flow } = this.#group;
    if (destination === "flow") flow.endParagraph(this.#format());
    else if (destination === "propValue") this.#write(" ");
  }

  #endCell(depth: number): void {
    if (this.#group.destination === "flow") this.#group.flow.endCell(depth, this.#format());
  }

  #format(): ParagraphFormat {
    const group = this.#group;
    const outline = group.outline === null ? null : group.outline < 9 ? group.outline + 1 : null;
    const isListed = (group.list !== null && group.list > 0) || group.flow.marker !== "";
    return {
      heading: group.outline === null ? this.#styles.heading(group.style) : outline,
      listLevel: isListed ? group.listLevel : null,
      tableDepth: group.isInTable || group.tableDepth > 1 ? Math.max(1, group.tableDepth) : 0,
      isHanging: group.firstIndent < 0 && group.indent > 0,
      indent: group.indent,
    };
  }

  /** Decodes the buffered bytes of a run; they are buffered because a character may take two. */
  #decode(): void {
    if (this.#length === 0) return;
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    const isTable = this.#group.destination === "fonts" || this.#group.destination === "styles";
    this.#write(decodeCodePage(bytes, (isTable ? undefined : this.#fonts.get(this.#group.font)) ?? this.#codePage));
  }

  #write(text: string) {
    const group = this.#group;
    switch (group.destination) {
      case "flow":
        if (!group.isHidden && !group.isDeleted) group.flow.text += text;
        return;
      case "marker":
        if (!group.isDeleted) group.flow.marker += text;
        return;
      case "styles":
        return this.#styles.name(text);
      case "info":
        return this.info.text(text);
      case "instruction":
        if (group.field !== null && group.field.instruction.length < 10_000) group.field.instruction += text;
        return;
      case "author":
        this.#author += text;
        return;
      case "propName":
        this.#property.name += text;
        return;
      case "propValue":
        if (this.#property.value.length < 10_000) this.#property.value += text;
    }
  }
}

function symbolText(code: number): string {
  return code === 183 || code === 167 ? "•" : code > 31 && code < 0x10000 ? String.fromCharCode(code) : "";
}
