import { spawn } from "node:child_process";

export interface ScriptEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a module's text in a process of its own. In it `dist` is the address of the built files and `argv` the arguments.
 *
 * @param limit A shell command to run before, as in `ulimit -f 100`.
 */
export function runScript(text: string, argv: readonly string[], limit = "true"): Promise<ScriptEnd> {
  const dist = JSON.stringify(new URL("../../dist/", import.meta.url).href);
  const script = `const dist = ${dist}; const argv = ${JSON.stringify(argv)};\n${text}`;
  const command = [`${limit} && exec "$0" --input-type=module --eval "$1"`, process.execPath, script];
  const child = spawn("sh", ["-c", ...command], { stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (part: string) => {
      said[stream] += part;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...said }));
  });
}
