import type { RowLayout } from "../shared/office/paragraph-flow.js";

const MAX_CELLS = 1_000;

/**
 * Tracks the layout of table rows: `\trowd` begins the definition of a row, and each `\cellx` ends the definition of a
 * cell.
 */
export class RowLayouts {
  #edges: number[] = [];
  #merges: ("left" | "above" | null)[] = [];
  #merge: "left" | "above" | null = null;
  #isHeader = false;

  /** Handles a control word. Returns false if the word is not part of a row definition. */
  applyWord(word: string, value: number | null): boolean {
    if (word === "trowd") this.#begin();
    else if (word === "trhdr") this.#isHeader = true;
    else if (word === "clmrg") this.#merge = "left";
    else if (word === "clvmrg") this.#merge = "above";
    else if (word === "cellx") this.#endCell(value ?? 0);
    else return false;
    return true;
  }

  layout(): RowLayout {
    return { edges: this.#edges, merges: this.#merges, isHeader: this.#isHeader };
  }

  #begin(): void {
    this.#edges = [];
    this.#merges = [];
    this.#merge = null;
    this.#isHeader = false;
  }

  #endCell(edge: number): void {
    if (this.#edges.length < MAX_CELLS) {
      this.#edges.push(edge);
      this.#merges.push(this.#merge);
    }
    this.#merge = null;
  }
}
