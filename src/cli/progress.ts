import type { Terminal } from "./terminal.js";

/** How far something has come. */
export interface ProgressStep {
  /** Names the work; a new label begins a new line. */
  readonly label: string;
  readonly done: number;
  /** Null while unknown. */
  readonly total: number | null;
  /** Said after the numbers. */
  readonly detail?: string;
}

/** Shows steps as they come. */
export interface Progress {
  update(step: ProgressStep): void;
  /** Leaves the last step on the screen and ends its line. */
  end(): void;
}

const BAR_WIDTH = 24;
const REDRAW_MS = 50;
const PLAIN_SHARE = 0.25;

/** A bar that is drawn again on a terminal, a line for each quarter elsewhere. */
export function createProgress(terminal: Pick<Terminal, "err" | "live" | "columns">): Progress {
  return terminal.live ? new BarProgress(terminal) : new PlainProgress(terminal);
}

class BarProgress implements Progress {
  readonly #terminal: Pick<Terminal, "err" | "columns">;
  #step: ProgressStep | null = null;
  #drawnAt = 0;

  constructor(terminal: Pick<Terminal, "err" | "columns">) {
    this.#terminal = terminal;
  }

  update(step: ProgressStep): void {
    if (this.#step !== null && this.#step.label !== step.label) this.end();
    const first = this.#step === null;
    this.#step = step;
    if (first || step.done === step.total || performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw(step);
  }

  end(): void {
    if (this.#step === null) return;
    this.#draw(this.#step);
    this.#terminal.err("\n");
    this.#step = null;
  }

  #draw(step: ProgressStep): void {
    this.#drawnAt = performance.now();
    this.#terminal.err(`\r\u001b[2K${barLine(step).slice(0, this.#terminal.columns - 1)}`);
  }
}

class PlainProgress implements Progress {
  readonly #terminal: Pick<Terminal, "err">;
  #label: string | null = null;
  #shown = 0;

  constructor(terminal: Pick<Terminal, "err">) {
    this.#terminal = terminal;
  }

  update(step: ProgressStep): void {
    if (step.label !== this.#label) {
      this.#label = step.label;
      this.#shown = 0;
    }
    const share = step.total === null || step.total === 0 ? 0 : step.done / step.total;
    if (share === 0 || share <= this.#shown || (share < 1 && share - this.#shown < PLAIN_SHARE)) return;
    this.#shown = share;
    this.#terminal.err(`${step.label} ${numbers(step)}\n`);
  }

  end(): void {
    this.#label = null;
  }
}

function barLine(step: ProgressStep): string {
  const share = step.total === null || step.total === 0 ? 0 : Math.min(1, step.done / step.total);
  const filled = Math.round(share * BAR_WIDTH);
  return `${step.label} ${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${numbers(step)}`;
}

function numbers({ done, total, detail }: ProgressStep): string {
  const count = (value: number) => value.toLocaleString("en");
  return `${count(done)}${total === null ? "" : `/${count(total)}`}${detail === undefined ? "" : `  ${detail}`}`;
}
