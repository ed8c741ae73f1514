import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { run } from "#dist/cli/run.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const OWN_VARIABLES = { LOREBASE_DIRECTORY: "", NO_COLOR: "1" };

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command in its own process. The listeners to its outputs can send it a signal. */
export function lorebase(
  args: readonly string[],
  options: {
    cwd?: string;
    env?: Record<string, string>;
    /** The command's file. @default the built one */
    main?: string;
    onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
    /** Called with all output so far. */
    onStdout?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
  } = {},
): Promise<Ended> {
  const env = { ...process.env, ...OWN_VARIABLES, ...options.env };
  const child = spawn(process.execPath, [options.main ?? main, ...args], {
    cwd: options.cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written.stdout += text;
    options.onStdout?.(written.stdout, (signal) => child.kill(signal));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    written.stderr += text;
    options.onStderr?.(text, (signal) => child.kill(signal));
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...written }));
  });
}

/** Runs the command in this process, which is the same but for its start, signals and end. */
export async function lorebaseHere(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const written = { stdout: "", stderr: "" };
  const code = await run(args, {
    out(text) {
      written.stdout += `${text}\n`;
    },
    err(text) {
      written.stderr += text;
    },
    isInteractive: false,
    columns: 80,
    style: (_, text) => text,
    env: { ...process.env, ...OWN_VARIABLES, ...env },
    signal: new AbortController().signal,
    interceptProcessOutput: () => {},
  });
  return { code, ...written };
}

/** A folder that is removed after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lorebase-cli-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
