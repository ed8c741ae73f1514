import type { Terminal } from "./terminal.js";

/** The progress of a task at one moment. */
export interface ProgressStep {
  /** The name of the task; a new label starts a new line. */
  readonly label: string;
  readonly done: number;
  /** `null` while unknown. */
  readonly total: number | null;
  /** Printed after the numbers. */
  readonly detail?: string;
}

/** Displays the progress of a task. */
export interface Progress {
  update(step: ProgressStep): void;
  /** Ends the line of the last step. */
  end(): void;
}

const BAR_WIDTH = 24;
const REDRAW_MS = 50;
const PLAIN_STEP_FRACTION = 0.25;

/** Creates a progress bar for a terminal; for other outputs, prints a line for each quarter of the work. */
export function createProgress(terminal: Pick<Terminal, "err" | "isInteractive" | "columns">): Progress {
  return terminal.isInteractive ? new BarProgress(terminal) : new PlainProgress(terminal);
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
    const isFirst = this.#step === null;
    this.#step = step;
    if (isFirst || step.done === step.total || performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw(step);
  }

  end(): void {
    if (this.#step === null) return;
    this.#draw(this.#step);
    this.#terminal.err("\n");
    this.#step = null;
  }

  #draw(step: ProgressStep): void {
    this.#drawnAt = performance.now();
    this.#terminal.err(`\r\u001b[2K${formatBar(step).slice(0, this.#terminal.columns - 1)}`);
  }
}

class PlainProgress implements Progress {
  readonly #terminal: Pick<Terminal, "err">;
  #label: string | null = null;
  #shownFraction = 0;

  constructor(terminal: Pick<Terminal, "err">) {
    this.#terminal = terminal;
  }

  update(step: ProgressStep): void {
    if (step.label !== this.#label) {
      this.#label = step.label;
      this.#shownFraction = 0;
    }
    const fraction = completedFraction(step);
    if (fraction <= this.#shownFraction || (fraction < 1 && fraction - this.#shownFraction < PLAIN_STEP_FRACTION))
      return;
    this.#shownFraction = fraction;
    this.#terminal.err(`${step.label} ${formatCounts(step)}\n`);
  }

  end(): void {
    this.#label = null;
  }
}

function formatBar(step: ProgressStep): string {
  const filled = Math.round(Math.min(1, completedFraction(step)) * BAR_WIDTH);
  return `${step.label} ${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${formatCounts(step)}`;
}

function completedFraction({ done, total }: ProgressStep): number {
  return total === null || total === 0 ? 0 : done / total;
}

function formatCounts({ done, total, detail }: ProgressStep): string {
  const format = (value: number) => value.toLocaleString("en");
  return `${format(done)}${total === null ? "" : `/${format(total)}`}${detail === undefined ? "" : `  ${detail}`}`;
}
