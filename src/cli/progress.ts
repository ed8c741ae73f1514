import type { Terminal } from "./terminal.js";

/** The state of some work. */
export interface ProgressStep {
  /** The name of the work; a new label starts a new line. */
  readonly label: string;
  readonly done: number;
  /** `null` while unknown. */
  readonly total: number | null;
  /** Printed after the numbers. */
  readonly detail?: string;
}

/** Displays the latest step. */
export interface Progress {
  update(step: ProgressStep): void;
  /** Ends the line of the last step. */
  end(): void;
}

const BAR_WIDTH = 24;
const REDRAW_MS = 50;
const PLAIN_INTERVAL = 0.25;

/** A bar on a terminal, elsewhere a line for each quarter. */
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
    const fraction = fractionOf(step);
    if (fraction <= this.#shown || (fraction < 1 && fraction - this.#shown < PLAIN_INTERVAL)) return;
    this.#shown = fraction;
    this.#terminal.err(`${step.label} ${numbers(step)}\n`);
  }

  end(): void {
    this.#label = null;
  }
}

function barLine(step: ProgressStep): string {
  const filled = Math.round(Math.min(1, fractionOf(step)) * BAR_WIDTH);
  return `${step.label} ${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${numbers(step)}`;
}

function fractionOf({ done, total }: ProgressStep): number {
  return total === null || total === 0 ? 0 : done / total;
}

function numbers({ done, total, detail }: ProgressStep): string {
  const count = (value: number) => value.toLocaleString("en");
  return `${count(done)}${total === null ? "" : `/${count(total)}`}${detail === undefined ? "" : `  ${detail}`}`;
}
