import { overlapOf } from "./overlap.js";
import type { Part, Source } from "./source.js";

export interface PackLimits {
  /** Characters that a chunk aims for, its breadcrumb included. */
  readonly target: number;
  /** Characters that it never exceeds. */
  readonly max: number;
  /** Characters of the chunk before that may be repeated. */
  readonly overlap: number;
}

/** A chunk as ranges of blocks. */
export interface PackedChunk {
  /** Everything it shows. */
  readonly parts: readonly Part[];
  /** What is new in it: `parts` without what the chunk before has already. */
  readonly own: readonly Part[];
  readonly limits: PackLimits;
}

/** A chunk smaller than this share of the target goes on past a heading. */
const SMALL_SHARE = 4;

/** Packs parts into chunks, in order: whole where they fit, cut where they cannot. */
export function pack(source: Source, parts: readonly Part[], limits: PackLimits): PackedChunk[] {
  const packer = new Packer(source, limits);
  for (const part of parts) packer.place(part);
  return packer.finish();
}

class Packer {
  readonly #source: Source;
  readonly #limits: PackLimits;
  readonly #chunks: PackedChunk[] = [];
  #parts: Part[] = [];
  #own: Part[] = [];
  /** Parts of `#own` that can stand at a chunk's end. */
  #content = 0;
  #length = 0;

  constructor(source: Source, limits: PackLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  place(part: Part): void {
    if (this.#breaksBefore(part)) this.#close();
    let rest: Part | null = part;
    while (rest !== null) rest = this.#step(rest);
  }

  finish(): PackedChunk[] {
    this.#emit();
    return this.#chunks;
  }

  /** Adds a part or as much of it as there is room for, or ends the chunk; returns what is still to be placed. */
  #step(part: Part): Part | null {
    const { target, max } = this.#limits;
    if (this.#own.length === 0) this.#begin(part);
    else if (this.#content === 0 && this.#lengthWith(part) > target) this.#dropOverlap();
    if (this.#lengthWith(part) <= target) return this.#add(part);
    if (this.#own.length === 0)
      return this.#lengthWith(part) <= this.#wholeLimit(part) ? this.#add(part) : this.#addStart(part);
    const staysWhole = this.#aloneLength(part) <= this.#wholeLimit(part);
    if (this.#content > 0) {
      // A part that must be cut anyway first fills what is left of this chunk.
      const hasRoom = this.#length < target / 2 && this.#roomFor(part, target) >= target / 8;
      if (!staysWhole && hasRoom) return this.#addStart(part);
      this.#close();
      return part;
    }
    // Only headings so far: whatever follows them belongs here, if any of it fits.
    if (staysWhole && this.#lengthWith(part) <= max) return this.#add(part);
    if (this.#roomFor(part, max) >= this.#source.firstCharacter(part)) return this.#addStart(part);
    this.#emit();
    return part;
  }

  #begin(part: Part): void {
    const previous = this.#chunks.at(-1);
    this.#length = this.#crumbLength(part);
    if (previous === undefined || this.#limits.overlap === 0 || this.#source.isTopHeading(part.block)) return;
    // A part that fits as a whole is not cut for the sake of overlap, unless it is itself what was left of a cut.
    const alone = this.#aloneLength(part);
    const comesFirst = alone <= this.#wholeLimit(part) && previous.own.at(-1)!.block !== part.block;
    const room = comesFirst ? this.#limits.target - alone : this.#roomFor(part, this.#limits.target) / 2 - 2;
    const overlap = overlapOf(
      this.#source,
      previous.own,
      Math.min(this.#limits.overlap, Math.floor(room)),
      this.#limits.target,
    );
    for (const repeated of overlap) this.#append(repeated);
    // The gap after the overlap counts too; where it doesn't fit, the overlap gives way.
    if (comesFirst && this.#lengthWith(part) > this.#limits.target) this.#dropOverlap();
  }

  #dropOverlap(): void {
    if (this.#parts.length === 0 || this.#parts[0] === this.#own[0]) return;
    this.#parts = [];
    const own = this.#own;
    this.#own = [];
    this.#length = own[0] === undefined ? this.#length : this.#crumbLength(own[0]);
    if (own[0] === undefined) return;
    for (const part of own) {
      this.#append(part);
      this.#own.push(part);
    }
  }

  #add(part: Part): null {
    this.#append(part);
    const last = this.#own.at(-1);
    if (last?.block === part.block) this.#own[this.#own.length - 1] = { ...last, to: part.to };
    else {
      this.#own.push(part);
      if (!this.#source.leadsOn(part.block)) this.#content++;
    }
    return null;
  }

  /** Adds the start of a part and ends the chunk. */
  #addStart(part: Part): Part | null {
    const target = this.#roomFor(part, this.#limits.target);
    const max = this.#roomFor(part, this.#limits.max);
    // Long headings may have used up the target, not the limit.
    const aim = target >= this.#limits.target / 8 ? target : Math.min(max, Math.ceil(this.#limits.target / 4));
    const end = this.#source.cut(part, { target: Math.max(1, aim), max: Math.max(1, max) });
    const start = this.#source.part(part.block, part.from, end);
    if (start !== null) this.#add(start);
    const rest = this.#source.part(part.block, end, part.to);
    if (rest !== null) this.#close();
    return rest;
  }

  #append(part: Part): void {
    this.#length = this.#lengthWith(part);
    const last = this.#parts.at(-1);
    if (last?.block === part.block) this.#parts[this.#parts.length - 1] = { ...last, to: part.to };
    else this.#parts.push(part);
  }

  /** Ends the chunk; headings at its end go to the next one. */
  #close(): void {
    const carried: Part[] = [];
    if (this.#content > 0) {
      while (this.#source.leadsOn(this.#own.at(-1)!.block)) {
        carried.unshift(this.#own.pop()!);
        this.#parts.pop();
      }
    }
    this.#emit();
    for (const part of carried) {
      if (this.#own.length === 0) this.#begin(part);
      this.#add(part);
    }
  }

  #emit(): void {
    if (this.#own.length > 0) this.#chunks.push({ parts: this.#parts, own: this.#own, limits: this.#limits });
    this.#parts = [];
    this.#own = [];
    this.#content = 0;
    this.#length = 0;
  }

  /** A heading ends a chunk that is large enough when it opens a part of the document, or when its section won't fit. */
  #breaksBefore(part: Part): boolean {
    const last = this.#own.at(-1);
    if (last === undefined || !this.#source.isHeading(part.block) || this.#source.leadsOn(last.block)) return false;
    if (this.#length < this.#limits.target / SMALL_SHARE) return false;
    return (
      this.#source.isTopHeading(part.block) ||
      this.#length + this.#source.sectionLength(part.block) > this.#limits.target
    );
  }

  /** Up to which size a part is not cut: tables and listings are worth a larger chunk. */
  #wholeLimit(part: Part): number {
    const { kind } = this.#source.blocks[part.block]!;
    return kind === "table" || kind === "code" ? this.#limits.max : this.#limits.target;
  }

  #roomFor(part: Part, limit: number): number {
    return limit - (this.#lengthWith(part) - (part.to - part.from));
  }

  #lengthWith(part: Part): number {
    const last = this.#parts.at(-1);
    if (last === undefined)
      return (
        (this.#own.length === 0 ? this.#crumbLength(part) : this.#length) +
        this.#source.length(part, this.#limits.target)
      );
    if (last.block === part.block) return this.#length + part.to - last.to;
    return this.#length + this.#source.gap(last, part).length + this.#source.length(part, this.#limits.target);
  }

  #aloneLength(part: Part): number {
    return this.#crumbLength(part) + this.#source.length(part, this.#limits.target);
  }

  #crumbLength(part: Part): number {
    return this.#source.crumb(part.block, this.#limits.target).length;
  }
}
