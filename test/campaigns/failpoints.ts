import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Random } from "./random.js";

/** Compiles what puts failpoints into a process to a file in a folder. Returns its path. */
export function compilePreload(folder: string): string {
  const outfile = join(folder, "failpoint-preload.cjs");
  const entryPoints = [fileURLToPath(new URL("./failpoint-preload.ts", import.meta.url))];
  buildSync({ entryPoints, outfile, format: "cjs", bundle: true, packages: "external", platform: "node" });
  return outfile;
}

/** The failpoints of one process, which has a folder for them: see failpoint-preload.ts. */
export class Failpoints {
  readonly #folder: string;
  readonly #preload: string;

  /** @param preload The file of {@link compilePreload}. */
  constructor(folder: string, preload: string) {
    this.#folder = folder;
    this.#preload = preload;
    mkdirSync(folder);
    this.disarm();
  }

  /** The options of Node with which the process has to be started. */
  get nodeOptions(): readonly string[] {
    return ["--require", this.#preload];
  }

  /** The environment with which the process has to be started. */
  environment(library: string): NodeJS.ProcessEnv {
    return {
      LOREBASE_FAILPOINTS: this.#folder,
      // What a process that was killed has left there is removed with the folder.
      TMPDIR: this.#folder,
      LOREBASE_FAILPOINTS_LIBRARY: join(dirname(fileURLToPath(library)), "/"),
    };
  }

  /** Kills the process at a failpoint, after it has passed the failpoint some times. */
  arm(name: string, passes: number): void {
    writeFileSync(join(this.#folder, "armed"), `${name}\t${passes}`);
  }

  disarm(): void {
    this.arm("", 0);
  }

  /** The failpoints that the process has passed, and how often at least. */
  passes(): ReadonlyMap<string, number> {
    const files = readdirSync(this.#folder).filter((name) => name.startsWith("seen-"));
    const names = files.flatMap((name) => readFileSync(join(this.#folder, name), "utf8").split("\n"));
    const passes = new Map<string, number>();
    for (const name of names) if (name !== "") passes.set(name, (passes.get(name) ?? 0) + 1);
    return passes;
  }

  /** Where the process was killed; `null` if it was not. */
  killedAt(): string | null {
    if (!readdirSync(this.#folder).includes("killed")) return null;
    return readFileSync(join(this.#folder, "killed"), "utf8");
  }
}

/** What a process was doing when it passed a failpoint. */
export type RoundKind = "open" | "work" | "backup" | "restore" | "copy" | "repair" | "compact" | "upgrade";

/** A failpoint at which a process is to be killed. */
export interface ChosenFailpoint {
  readonly name: string;
  /** A kind of round in which a process has passed it. */
  readonly kind: RoundKind;
  /** How often it is passed before it kills. */
  readonly passes: number;
}

/** The failpoints of all processes of a campaign. */
export class FailpointLog {
  /** How many processes each failpoint has killed. */
  readonly kills = new Map<string, number>();
  /** How often a process has passed each failpoint in each kind of round. */
  readonly #passes = new Map<string, Map<RoundKind, number>>();

  /** Takes how often a process has passed failpoints. */
  note(passes: ReadonlyMap<string, number>, kind: RoundKind): void {
    for (const [name, count] of passes) {
      const kinds = this.#passes.get(name) ?? new Map<RoundKind, number>();
      this.#passes.set(name, kinds.set(kind, Math.max(count, kinds.get(kind) ?? 0)));
      if (!this.kills.has(name)) this.kills.set(name, 0);
    }
  }

  noteKill(name: string): void {
    this.kills.set(name, this.kills.get(name)! + 1);
  }

  /** Chooses a failpoint, every second time one of those that have killed the fewest; `null` before any was passed. */
  choose(random: Random): ChosenFailpoint | null {
    if (this.kills.size === 0) return null;
    const least = Math.min(...this.kills.values());
    const names = [...this.kills].filter(([, kills]) => kills === least).map(([name]) => name);
    const name = random.pick(random.next() < 0.5 ? names : [...this.kills.keys()]);
    const kinds = [...this.#passes.get(name)!];
    // What a process that opens passes depends on what the last one has left.
    const others = kinds.filter(([kind]) => kind !== "open");
    const [kind, count] = random.pick(others.length > 0 && random.next() < 0.8 ? others : kinds);
    return { name, kind, passes: random.integer(0, count - 1) };
  }
}
