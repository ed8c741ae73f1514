/** What a migration is doing. The phases follow one another in this order. */
export type MigrationPhase =
  | "records"
  | "secrets"
  | "files"
  | "index"
  | "compare records"
  | "compare files"
  | "compare searches";

/** How far a phase of a migration has come. */
export interface MigrationProgress {
  readonly phase: MigrationPhase;
  /** Rows, secrets, files, steps of index maintenance, or searches. */
  readonly done: number;
  /** `null` if unknown. */
  readonly total: number | null;
}

/** Reports the progress of one phase. */
export class PhaseProgress {
  readonly #report: (progress: MigrationProgress) => void;
  readonly #phase: MigrationPhase;
  readonly #total: number | null;
  #done = 0;

  constructor(report: (progress: MigrationProgress) => void, phase: MigrationPhase, total: number | null) {
    this.#report = report;
    this.#phase = phase;
    this.#total = total;
  }

  add(count: number): void {
    this.#done += count;
    this.#report({ phase: this.#phase, done: this.#done, total: this.#total });
  }
}
