import type { RowShape } from "../shared/office/paragraph-flow.js";

const MAX_CELLS = 1_000;

/** Tracks the definition of table rows: `\trowd` begins one, each `\cellx` ends that of a cell. */
export class RowShapes {
  #edges: number[] = [];
  #merges: ("left" | "above" | null)[] = [];
  #merge: "left" | "above" | null = null;
  #isHeader = false;

  /** Handles a control word; returns false if it is not part of a row definition. */
  word(word: string, value: number | null): boolean {
    switch (word) {
      case "trowd":
        this.#edges = [];
        this.#merges = [];
        this.#merge = null;
        this.#isHeader = false;
        return true;
      case "trhdr":
        this.#isHeader = true;
        return true;
      case "clmrg":
        this.#merge = "left";
        return true;
      case "clvmrg":
        this.#merge = "above";
        return true;
      case "cellx":
        if (this.#edges.length < MAX_CELLS) {
          this.#edges.push(value ?? 0);
          this.#merges.push(this.#merge);
        }
        this.#merge = null;
        return true;
      default:
        return false;
    }
  }

  shape(): RowShape {
    return { edges: this.#edges, merges: this.#merges, isHeader: this.#isHeader };
  }
}
