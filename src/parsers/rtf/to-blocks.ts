import { decodeCodePage } from "../shared/charset/code-page.js";
import { webLink } from "../shared/html/web-link.js";
import { blockOutsideSections, itemText } from "../shared/office/outside-sections.js";
import { hyperlinkUrl, ParagraphFlow, type ParagraphFormat } from "../shared/office/paragraph-flow.js";
import { applyProperty, type Field, type Group, initialGroup, PLAIN_PARAGRAPH } from "./group.js";
import { RtfInfo } from "./info.js";
import { RowLayouts } from "./row-layouts.js";
import type { RtfHandler } from "./scan.js";
import { StyleSheet } from "./style-sheet.js";
import {
  CHARACTERS,
  CHARSET_CODE_PAGES,
  CODE_PAGE_WORDS,
  DESTINATIONS,
  FLOW_WORD_PATTERN,
  INFO_KEYS,
  SUPPORTED_IGNORABLE_DESTINATIONS,
} from "./vocabulary.js";

/**
 * The maximum depth of groups. Deeper groups share the state of the last one; no application nests groups this deep.
 */
const MAX_GROUP_DEPTH = 5_000;

/** Builds blocks from the tokens of an RTF file. */
export class RtfInterpreter implements RtfHandler {
  readonly body = new ParagraphFlow();
  readonly info = new RtfInfo();
  readonly headers = new Set<string>();
  readonly footers = new Set<string>();
  imageCount = 0;
  describedImageCount = 0;
  readonly #addsImages: boolean;
  readonly #styles = new StyleSheet();
  readonly #rows = new RowLayouts();
  /** Code pages by font number. */
  readonly #fontCodePages = new Map<number, number>();
  readonly #groups: Group[] = [];
  #group: Group = initialGroup(this.body);
  /** The number of open groups that are too deep for a state of their own. */
  #sharedGroupCount = 0;
  #codePage = 1252;
  #defaultFont = -1;
  /** Whether `\*` was read: the group is skipped if the next control word is not supported. */
  #isIgnorable = false;
  /** Whether the group has just been opened, so that the next control word defines its destination. */
  #isGroupStart = false;
  /** The number of characters still to skip because a Unicode character replaces them. */
  #remainingFallbackCount = 0;
  /** The bytes of text to decode next. */
  #buffer = new Uint8Array(1024);
  /** The number of bytes in use in `#buffer`. */
  #bufferedLength = 0;
  #noteCount = 0;
  /** Whether the reference of a note was read that has not begun yet. */
  #isNotePending = false;
  #author = "";
  #property = { name: "", value: "" };

  constructor(addsImages: boolean) {
    this.#addsImages = addsImages;
  }

  /** The number of groups that have not been closed. */
  get openGroupCount(): number {
    return this.#groups.length;
  }

  end(): void {
    this.#flushBuffer();
    while (this.#groups.length > 0) this.close();
    this.body.end(this.#paragraphFormat());
  }

  open(): void {
    this.#flushBuffer();
    this.#remainingFallbackCount = 0;
    this.#isGroupStart = true;
    this.#isIgnorable = false;
    if (this.#groups.length >= MAX_GROUP_DEPTH) this.#sharedGroupCount++;
    else {
      this.#groups.push(this.#group);
      this.#group = { ...this.#group };
      if (this.#group.destination === "styles") this.#styles.begin();
    }
  }

  close(): boolean {
    this.#flushBuffer();
    this.#remainingFallbackCount = 0;
    this.#isGroupStart = false;
    this.#isIgnorable = false;
    if (this.#sharedGroupCount > 0) {
      this.#sharedGroupCount--;
      return true;
    }
    const inner = this.#group;
    const outer = this.#groups.pop();
    if (outer === undefined) return false;
    if (inner.flow !== outer.flow) this.#endFlow(inner, outer);
    if (inner.field !== null && inner.field !== outer.field) this.#endField(inner.field);
    if (inner.destination === "styles" && outer.destination === "styles") this.#styles.end();
    if (inner.destination === "info" && inner.infoKey !== outer.infoKey) this.info.end(inner.infoKey);
    if (inner.destination === "propertyValue" && outer.destination !== "propertyValue") this.#endProperty(outer);
    this.#group = outer;
    return this.#groups.length > 0;
  }

  binary(): void {
    this.#flushBuffer();
    this.#isGroupStart = false;
    if (this.#remainingFallbackCount > 0) this.#remainingFallbackCount--;
  }

  text(bytes: Uint8Array): void {
    this.#isGroupStart = false;
    let from = 0;
    if (this.#remainingFallbackCount > 0) {
      from = Math.min(bytes.length, this.#remainingFallbackCount);
      this.#remainingFallbackCount -= from;
    }
    if (this.#group.destination === "skipAll" || from >= bytes.length) return;
    const needed = this.#bufferedLength + bytes.length - from;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(needed * 2);
      larger.set(this.#buffer.subarray(0, this.#bufferedLength));
      this.#buffer = larger;
    }
    this.#buffer.set(from === 0 ? bytes : bytes.subarray(from), this.#bufferedLength);
    this.#bufferedLength = needed;
  }

  symbol(symbol: string): void {
    this.#flushBuffer();
    if (this.#skipFallback()) return;
    if (symbol === "*") {
      this.#isIgnorable = true;
      return;
    }
    this.#isGroupStart = false;
    if (symbol === "~") this.#addText("\u00a0");
    else if (symbol === "_") this.#addText("-");
  }

  word(word: string, value: number | null): void {
    this.#flushBuffer();
    // A control word for a character can be the fallback of a Unicode character. Other control words can't.
    if (CHARACTERS.has(word) && word !== "tab" && this.#skipFallback()) return;
    const isFirst = this.#isGroupStart;
    const isIgnorable = this.#isIgnorable;
    this.#isGroupStart = false;
    this.#isIgnorable = false;
    if (isFirst && this.#group.destination === "skipAll") return;
    if (isFirst && this.#beginDestination(word, isIgnorable)) return;
    if (this.#group.destination === "skipAll") return;
    this.#applyWord(word, value);
  }

  /** Skips the next character if a Unicode character that was read replaces it. Returns whether it was skipped. */
  #skipFallback(): boolean {
    if (this.#remainingFallbackCount === 0) return false;
    this.#remainingFallbackCount--;
    return true;
  }

  /** Begins a destination. Returns false if the word is a property instead. */
  #beginDestination(word: string, isIgnorable: boolean): boolean {
    const group = this.#group;
    const infoKey = group.destination === "info" ? INFO_KEYS.get(word) : undefined;
    const destination = DESTINATIONS.get(word);
    if (FLOW_WORD_PATTERN.test(word)) this.#beginFlow(word);
    else if (infoKey !== undefined) {
      group.infoKey = infoKey;
      this.info.begin();
    } else if (destination !== undefined) group.destination = destination;
    else if (word === "field") group.field = { instruction: "", flow: group.flow, runId: group.flow.beginRun() };
    else if (word === "pict") {
      if (group.destination === "flow") this.imageCount++;
      group.destination = "skipText";
    } else if (word === "sp") this.#property = { name: "", value: "" };
    else if (word === "upr") {
      // The group contains the same text twice: first in a code page, then as Unicode in `\ud`.
      if (group.destination === "flow") group.destination = "skipText";
    } else if (word === "ud") group.destination = group.infoKey === null ? "flow" : "info";
    else if (isIgnorable && !SUPPORTED_IGNORABLE_DESTINATIONS.has(word)) group.destination = "skipAll";
    else return word === "fldrslt";
    return true;
  }

  #beginFlow(word: string): void {
    const group = this.#group;
    if (word === "footnote" && this.#isNotePending) this.#isNotePending = false;
    else if (word === "footnote") this.#noteCount++;
    Object.assign(group, PLAIN_PARAGRAPH);
    group.destination = "flow";
    group.field = null;
    group.flow = new ParagraphFlow();
    this.#flowWords.set(group.flow, word);
  }

  /** The control words with which flows began. */
  readonly #flowWords = new WeakMap<ParagraphFlow, string>();

  #endFlow(inner: Group, outer: Group) {
    const { flow } = inner;
    const word = this.#flowWords.get(flow) ?? "";
    flow.end(this.#paragraphFormat());
    const { blocks } = flow.list;
    const text = blocks.map(itemText).join("\n");
    if (word.startsWith("header") || word.startsWith("footer")) {
      if (/\p{L}/u.test(text)) (word.startsWith("header") ? this.headers : this.footers).add(text);
      return;
    }
    if (word === "shptxt" || word === "dptxbxtext") return outer.flow.attach(blocks);
    const label = word === "footnote" ? `[${this.#noteCount}] ` : this.#author === "" ? "" : `${this.#author}: `;
    if (text !== "") outer.flow.attach([blockOutsideSections("note", label + text)]);
  }

  #endField(field: Field): void {
    const address = hyperlinkUrl(field.instruction);
    const symbol = /^\s*SYMBOL\s+(\d+)/i.exec(field.instruction)?.[1];
    field.flow.endRun(field.runId, (text) => {
      if (address !== undefined) return webLink(text, address);
      return symbol !== undefined && text === "" ? symbolCharacter(Number(symbol)) : text;
    });
  }

  /** Adds an image block if the property that has just ended is the description of an image or shape. */
  #endProperty(outer: Group): void {
    const { name, value } = this.#property;
    const text = value.replace(/\s+/g, " ").trim();
    if (name.trim() !== "wzDescription" || text === "") return;
    this.describedImageCount++;
    if (this.#addsImages) outer.flow.attach([blockOutsideSections("image", text)]);
  }

  #applyWord(word: string, value: number | null) {
    const group = this.#group;
    if (group.destination === "styles") return this.#styles.applyWord(word, value);
    if (group.destination === "fonts") return this.#applyFontWord(word, value);
    if (group.destination === "info") return this.info.applyWord(word, value);
    const character = CHARACTERS.get(word);
    if (character !== undefined) return this.#addText(character);
    if (group.destination === "flow" && this.#rows.applyWord(word, value)) return;
    if (applyProperty(group, word, value)) return;
    switch (word) {
      case "u":
        this.#addText(String.fromCharCode((value ?? 0) & 0xffff));
        this.#remainingFallbackCount = group.fallbackLength;
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
        return this.#addNoteReference();
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
          group.flow.endRow(word === "row" ? 1 : Math.max(2, group.tableDepth), this.#rows.layout());
        return;
      default:
        this.#codePage = CODE_PAGE_WORDS.get(word) ?? this.#codePage;
    }
  }

  #applyFontWord(word: string, value: number | null): void {
    const group = this.#group;
    if (word === "f") group.font = value ?? 0;
    else if (word === "fcharset" && value !== null && value !== 1) {
      const codePage = CHARSET_CODE_PAGES.get(value);
      if (codePage !== undefined) this.#fontCodePages.set(group.font, codePage);
    } else if (word === "cpg" && value !== null && value > 0) this.#fontCodePages.set(group.font, value);
  }

  /** Adds the number of the next note to the text. Within a note, adds nothing: `#endFlow` adds the number there. */
  #addNoteReference() {
    const { flow, destination } = this.#group;
    if (destination !== "flow" || this.#flowWords.get(flow) === "footnote") return;
    this.#noteCount++;
    this.#isNotePending = true;
    this.#addText(`[${this.#noteCount}]`);
  }

  #endParagraph(): void {
    this.#remainingFallbackCount = 0;
    const { destination, flow } = this.#group;
    if (destination === "flow") flow.endParagraph(this.#paragraphFormat());
    else if (destination === "propertyValue") this.#addText(" ");
  }

  #endCell(depth: number): void {
    if (this.#group.destination === "flow") this.#group.flow.endCell(depth, this.#paragraphFormat());
  }

  #paragraphFormat(): ParagraphFormat {
    const group = this.#group;
    const headingLevel = group.outlineLevel === null ? null : group.outlineLevel < 9 ? group.outlineLevel + 1 : null;
    const isListed = (group.listNumber !== null && group.listNumber > 0) || group.flow.marker !== "";
    return {
      headingLevel: group.outlineLevel === null ? this.#styles.headingLevel(group.style) : headingLevel,
      listLevel: isListed ? group.listLevel : null,
      tableDepth: group.isInTable || group.tableDepth > 1 ? Math.max(1, group.tableDepth) : 0,
      isHanging: group.firstIndent < 0 && group.indent > 0,
      indent: group.indent,
    };
  }

  /** Decodes the buffered bytes. They are buffered because a character can take two bytes. */
  #flushBuffer(): void {
    if (this.#bufferedLength === 0) return;
    const bytes = this.#buffer.subarray(0, this.#bufferedLength);
    this.#bufferedLength = 0;
    const isHeaderTable = this.#group.destination === "fonts" || this.#group.destination === "styles";
    this.#addText(
      decodeCodePage(bytes, (isHeaderTable ? undefined : this.#fontCodePages.get(this.#group.font)) ?? this.#codePage),
    );
  }

  #addText(text: string) {
    const group = this.#group;
    switch (group.destination) {
      case "flow":
        if (!group.isHidden && !group.isDeleted) group.flow.text += text;
        return;
      case "marker":
        if (!group.isDeleted) group.flow.marker += text;
        return;
      case "styles":
        return this.#styles.addName(text);
      case "info":
        return this.info.addText(text);
      case "instruction":
        if (group.field !== null && group.field.instruction.length < 10_000) group.field.instruction += text;
        return;
      case "author":
        this.#author += text;
        return;
      case "propertyName":
        this.#property.name += text;
        return;
      case "propertyValue":
        if (this.#property.value.length < 10_000) this.#property.value += text;
    }
  }
}

function symbolCharacter(code: number): string {
  return code === 183 || code === 167 ? "•" : code > 31 && code < 0x10000 ? String.fromCharCode(code) : "";
}
