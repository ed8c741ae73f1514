import type { BlockIndex, Part } from "./block-index.js";
import { lastSentences } from "./overlap.js";

export interface PackLimits {
  /** Preferred number of characters in a chunk, including its breadcrumb. */
  readonly target: number;
  /** Maximum number of characters in a chunk. */
  readonly max: number;
  /** Maximum number of characters repeated from the previous chunk. */
  readonly overlap: number;
}

/** A chunk as ranges of blocks. */
export interface PackedChunk {
  /** The whole content, including the overlap with the previous chunk. */
  readonly parts: readonly Part[];
  /** `parts` without the overlap with the previous chunk. */
  readonly newParts: readonly Part[];
  readonly limits: PackLimits;
}

/** A chunk smaller than 1/4 of its target continues past a heading. */
const MIN_FILL_DIVISOR = 4;

/** Packs parts into chunks, in order, and splits parts that don't fit whole. */
export function pack(index: BlockIndex, parts: readonly Part[], limits: PackLimits): PackedChunk[] {
  const packer = new Packer(index, limits);
  for (const part of parts) packer.add(part);
  return packer.finish();
}

class Packer {
  readonly #index: BlockIndex;
  readonly #limits: PackLimits;
  readonly #chunks: PackedChunk[] = [];
  #parts: Part[] = [];
  #newParts: Part[] = [];
  /** Number of parts in `#newParts` that may end a chunk: all but headings and table captions. */
  #contentCount = 0;
  #length = 0;

  constructor(index: BlockIndex, limits: PackLimits) {
    this.#index = index;
    this.#limits = limits;
  }

  add(part: Part): void {
    if (this.#breaksBefore(part)) this.#close();
    let rest: Part | null = part;
    while (rest !== null) rest = this.#step(rest);
  }

  finish(): PackedChunk[] {
    this.#emit();
    return this.#chunks;
  }

  /** Adds as much of a part as fits, or ends the chunk; returns what is left of the part. */
  #step(part: Part): Part | null {
    const { target, max } = this.#limits;
    if (this.#newParts.length === 0) this.#begin(part);
    else if (this.#contentCount === 0 && this.#lengthWith(part) > target) this.#dropOverlap();
    if (this.#lengthWith(part) <= target) return this.#addWhole(part);
    if (this.#newParts.length === 0)
      return this.#lengthWith(part) <= this.#wholeLimit(part) ? this.#addWhole(part) : this.#addStart(part);
    const canStayWhole = this.#aloneLength(part) <= this.#wholeLimit(part);
    if (this.#contentCount > 0) {
      // A part that must be split anyway fills up this chunk first.
      const hasRoom = this.#length < target / 2 && this.#roomFor(part, target) >= target / 8;
      if (!canStayWhole && hasRoom) return this.#addStart(part);
      this.#close();
      return part;
    }
    // The chunk has only headings so far, so the text below them belongs here if any of the text fits.
    if (canStayWhole && this.#lengthWith(part) <= max) return this.#addWhole(part);
    if (this.#roomFor(part, max) >= this.#index.firstCodePointLength(part)) return this.#addStart(part);
    this.#emit();
    return part;
  }

  /** Begins a chunk whose first new part is `part`, with the overlap that fits. */
  #begin(part: Part): void {
    const previous = this.#chunks.at(-1);
    this.#length = this.#breadcrumbLength(part);
    if (previous === undefined || this.#limits.overlap === 0 || this.#index.isTopHeading(part.block)) return;
    // A part that fits whole is not split to make room for overlap, unless it is the rest of a split part.
    const alone = this.#aloneLength(part);
    const mustStayWhole = alone <= this.#wholeLimit(part) && previous.newParts.at(-1)!.block !== part.block;
    const room = mustStayWhole ? this.#limits.target - alone : this.#roomFor(part, this.#limits.target) / 2 - 2;
    const overlap = lastSentences(
      this.#index,
      previous.newParts,
      Math.min(this.#limits.overlap, Math.floor(room)),
      this.#limits.target,
    );
    for (const repeated of overlap) this.#append(repeated);
    // The gap after the overlap counts too; if the part no longer fits, the overlap is dropped.
    if (mustStayWhole && this.#lengthWith(part) > this.#limits.target) this.#dropOverlap();
  }

  #dropOverlap(): void {
    if (this.#parts.length === 0 || this.#parts[0] === this.#newParts[0]) return;
    this.#parts = [];
    const newParts = this.#newParts;
    this.#newParts = [];
    this.#length = newParts[0] === undefined ? this.#length : this.#breadcrumbLength(newParts[0]);
    if (newParts[0] === undefined) return;
    for (const part of newParts) {
      this.#append(part);
      this.#newParts.push(part);
    }
  }

  /** Adds a whole part; nothing is left of it. */
  #addWhole(part: Part): null {
    this.#append(part);
    const last = this.#newParts.at(-1);
    if (last?.block === part.block) this.#newParts[this.#newParts.length - 1] = { ...last, to: part.to };
    else {
      this.#newParts.push(part);
      if (!this.#index.introducesNext(part.block)) this.#contentCount++;
    }
    return null;
  }

  /** Adds the start of a part and ends the chunk. */
  #addStart(part: Part): Part | null {
    const targetRoom = this.#roomFor(part, this.#limits.target);
    const maxRoom = this.#roomFor(part, this.#limits.max);
    // Long headings may have used up the target, but not the maximum.
    const preferred =
      targetRoom >= this.#limits.target / 8 ? targetRoom : Math.min(maxRoom, Math.ceil(this.#limits.target / 4));
    const end = this.#index.splitPoint(part, { target: Math.max(1, preferred), max: Math.max(1, maxRoom) });
    const start = this.#index.part(part.block, part.from, end);
    if (start !== null) this.#addWhole(start);
    const rest = this.#index.part(part.block, end, part.to);
    if (rest !== null) this.#close();
    return rest;
  }

  /** Appends a part to the content of the chunk, whether it is new or repeated. */
  #append(part: Part): void {
    this.#length = this.#lengthWith(part);
    const last = this.#parts.at(-1);
    if (last?.block === part.block) this.#parts[this.#parts.length - 1] = { ...last, to: part.to };
    else this.#parts.push(part);
  }

  /** Ends the chunk; headings and table captions at its end move to the next chunk. */
  #close(): void {
    const carried: Part[] = [];
    if (this.#contentCount > 0) {
      while (this.#index.introducesNext(this.#newParts.at(-1)!.block)) {
        carried.unshift(this.#newParts.pop()!);
        this.#parts.pop();
      }
    }
    this.#emit();
    for (const part of carried) {
      if (this.#newParts.length === 0) this.#begin(part);
      this.#addWhole(part);
    }
  }

  /** Adds the current chunk to the result as it is, unless it is empty. */
  #emit(): void {
    if (this.#newParts.length > 0)
      this.#chunks.push({ parts: this.#parts, newParts: this.#newParts, limits: this.#limits });
    this.#parts = [];
    this.#newParts = [];
    this.#contentCount = 0;
    this.#length = 0;
  }

  /**
   * Whether a part starts a new chunk: a heading of the top level or of a section that doesn't fit, provided that the
   * current chunk is large enough.
   */
  #breaksBefore(part: Part): boolean {
    const last = this.#newParts.at(-1);
    if (last === undefined || !this.#index.isHeading(part.block) || this.#index.introducesNext(last.block))
      return false;
    if (this.#length < this.#limits.target / MIN_FILL_DIVISOR) return false;
    return (
      this.#index.isTopHeading(part.block) || this.#length + this.#index.sectionLength(part.block) > this.#limits.target
    );
  }

  /** Returns the size up to which a part is not split: tables and code may fill a larger chunk. */
  #wholeLimit(part: Part): number {
    const { kind } = this.#index.blocks[part.block]!;
    return kind === "table" || kind === "code" ? this.#limits.max : this.#limits.target;
  }

  #roomFor(part: Part, limit: number): number {
    return limit - (this.#lengthWith(part) - (part.to - part.from));
  }

  #lengthWith(part: Part): number {
    const last = this.#parts.at(-1);
    if (last === undefined)
      return (
        (this.#newParts.length === 0 ? this.#breadcrumbLength(part) : this.#length) +
        this.#index.length(part, this.#limits.target)
      );
    if (last.block === part.block) return this.#length + part.to - last.to;
    return this.#length + this.#index.gap(last, part).length + this.#index.length(part, this.#limits.target);
  }

  #aloneLength(part: Part): number {
    return this.#breadcrumbLength(part) + this.#index.length(part, this.#limits.target);
  }

  #breadcrumbLength(part: Part): number {
    return this.#index.breadcrumb(part.block, this.#limits.target).length;
  }
}
