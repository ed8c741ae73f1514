import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TRANSITIONS, UNFINISHED_STATUSES } from "#dist/storage/records/status-table.js";
import type { Status } from "../../src/types.js";
import { type DocumentEnd, runTask, step, type TaskSteps } from "../support/model-worker.js";
import { propertyRuns } from "../support/property-runs.js";
import { QueueModel } from "../support/queue-model.js";

const ACTIONS = [
  "create",
  "cancel",
  "reingest",
  "deleteJob",
  "deleteDocument",
  "work",
  "work",
  "work",
  "work",
  "crash",
] as const;

interface Move {
  readonly action: (typeof ACTIONS)[number];
  /** Which job, document or worker, of however many there are. */
  readonly which: number;
  readonly end: DocumentEnd;
}

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({
    action: fc.constantFrom(...ACTIONS),
    which: fc.nat(20),
    end: fc.constantFrom<DocumentEnd>("publish", "publish", "publish", "fail"),
  }),
  { minLength: 10, maxLength: 120, size: "max" },
);

/** Three workers; each has a task under way or none. */
class Course {
  readonly model = new QueueModel(2);
  readonly #workers: (TaskSteps | null)[] = [null, null, null];
  readonly #lives = [0, 0, 0];

  move({ action, which, end }: Move): void {
    const { model } = this;
    const job = this.#id("ingest_jobs", which);
    const document = this.#id("documents", which);
    if (action === "create") model.createJob();
    else if (action === "work") this.#work(which % 3, end);
    else if (action === "crash") this.#crash(which % 3);
    else if (action === "deleteDocument") {
      if (document) model.request(() => model.change("documents.delete", { documentId: document, ...model.place }));
    } else if (job) {
      const name = { cancel: "jobs.cancel", reingest: "jobs.reingest", deleteJob: "jobs.delete" } as const;
      model.request(() => model.change(name[action], { jobId: job, chunking: null, ...model.place }));
    }
  }

  /** Lets the workers go on until nothing is left to do. */
  finish(): void {
    for (let idle = 0, worker = 0; idle < 3; worker = (worker + 1) % 3)
      idle = this.#work(worker, "publish") ? 0 : idle + 1;
  }

  #work(worker: number, end: DocumentEnd): boolean {
    const under = this.#workers[worker];
    if (under) {
      if (!step(under)) this.#workers[worker] = null;
      return true;
    }
    const task = this.model.claim(this.#owner(worker));
    if (task) this.#workers[worker] = runTask(this.model, task, end);
    return task !== null;
  }

  /** The process is gone; another takes up what it held. */
  #crash(worker: number): void {
    this.#workers[worker] = null;
    this.model.change("tasks.reclaim", { deadProcesses: [this.#owner(worker)], now: -1, leaseMs: 2 ** 40 });
    this.#lives[worker]!++;
  }

  #owner(worker: number): string {
    return `worker ${worker} of life ${this.#lives[worker]}`;
  }

  #id(table: string, which: number): string | undefined {
    const rows = this.model.all<{ id: string }>(`SELECT id FROM ${table} ORDER BY seq`);
    return rows.length > 0 ? rows[which % rows.length]!.id : undefined;
  }
}

function stepsOutside(history: readonly Status[]): readonly string[] {
  return history.slice(1).flatMap((to, index) => {
    const from = history[index]!;
    return TRANSITIONS[from].includes(to) ? [] : [`${from} → ${to}`];
  });
}

describe("statuses", () => {
  it("follow the table under any interleaving, and terminate", () => {
    fc.assert(
      fc.property(moves, (course) => {
        const run = new Course();
        try {
          for (const move of course) run.move(move);
          run.finish();
          for (const [id, history] of run.model.histories) expect([id, stepsOutside(history)]).toEqual([id, []]);
          for (const table of ["ingest_jobs", "documents"]) {
            const rows = run.model.all<{ status: Status }>(`SELECT status FROM ${table}`);
            expect(
              rows.filter(({ status }) => UNFINISHED_STATUSES.includes(status) || status.includes("DELET")),
            ).toEqual([]);
          }
          expect(run.model.all("SELECT kind, subject FROM tasks")).toEqual([]);
          expect(
            run.model.all(
              "SELECT 1 FROM chunks c JOIN documents d ON d.seq = c.document_seq WHERE c.generation <> d.generation",
            ),
          ).toEqual([]);
          expect(run.model.all("SELECT 1 FROM scopes WHERE id NOT IN (SELECT scope_id FROM documents)")).toEqual([]);
        } finally {
          run.model.close();
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});
