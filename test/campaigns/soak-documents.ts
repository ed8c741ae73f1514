import { makeTexts } from "../../bench/texts.js";
import type { Random } from "./random.js";

const PARAGRAPHS = 500;
const PARAGRAPH_CHARACTERS = 1000;
const PARAGRAPHS_PER_DOCUMENT = 3;
const WORDS_PER_QUERY = 2;
/** Of the deleted documents that searches may still ask for. */
const REMEMBERED = 100;

export interface SoakDocument {
  readonly number: number;
  readonly jobId: string;
}

export interface SoakQuery {
  readonly query: string;
  /** A word that is in no other document. */
  readonly marker: string;
  /** Whether a hit must have the marker; otherwise none may. */
  readonly isExpected: boolean;
}

/** Which documents a soak run has stored, and queries whose hits are known. Each document is a job of its own. */
export class SoakDocuments {
  readonly #random: Random;
  readonly #paragraphs = makeTexts(PARAGRAPHS, PARAGRAPH_CHARACTERS).map((text) => text.replaceAll("\n\n", " "));
  readonly #words = this.#paragraphs.map((text) => text.split(/\W+/).filter((word) => word.length > 3));
  readonly #accepted = new Set<SoakDocument>();
  readonly #published: SoakDocument[] = [];
  readonly #deleted: number[] = [];
  #next = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Jobs that haven't been seen to end. */
  get accepted(): readonly SoakDocument[] {
    return [...this.#accepted];
  }

  get count(): number {
    return this.#accepted.size + this.#published.length;
  }

  /** A document that is not stored yet. */
  create(): { readonly number: number; readonly text: string } {
    const number = this.#next++;
    const paragraphs = Array.from({ length: PARAGRAPHS_PER_DOCUMENT }, (_, index) => this.#paragraphAt(number + index));
    return { number, text: `${markerOf(number)} ${paragraphs.join("\n\n")}` };
  }

  accept(document: SoakDocument): void {
    this.#accepted.add(document);
  }

  publish(document: SoakDocument): void {
    this.#accepted.delete(document);
    this.#published.push(document);
  }

  /** Takes the document that was published first, to be deleted. */
  takeOldest(): SoakDocument | undefined {
    return this.#published.shift();
  }

  /** The deletion has been answered: no later search may find the document. */
  confirmDeletion({ number }: SoakDocument): void {
    this.#deleted.push(number);
    if (this.#deleted.length > REMEMBERED) this.#deleted.shift();
  }

  /** A query for a document that isn't deleted before the search ends: one of the newer half. */
  queryPublished(): SoakQuery {
    const half = Math.floor(this.#published.length / 2);
    const { number } = this.#published[this.#random.integer(half, this.#published.length - 1)]!;
    return { ...this.#queryFor(number), isExpected: true };
  }

  /** A query for a document that was deleted lately; `null` if none was. */
  queryDeleted(): SoakQuery | null {
    if (this.#deleted.length === 0) return null;
    return { ...this.#queryFor(this.#random.pick(this.#deleted)), isExpected: false };
  }

  #queryFor(number: number) {
    const words = this.#words[number % PARAGRAPHS]!;
    const marker = markerOf(number);
    const chosen = Array.from({ length: WORDS_PER_QUERY }, () => this.#random.pick(words));
    return { query: [marker, ...chosen].join(" "), marker };
  }

  #paragraphAt(index: number): string {
    return this.#paragraphs[index % PARAGRAPHS]!;
  }
}

function markerOf(number: number): string {
  return `marker${number}x`;
}
