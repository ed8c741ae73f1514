import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, expect } from "vitest";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
});

interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A running `lorebase serve`. */
export interface Server {
  readonly url: string;
  readonly apiKey: string | null;
  readonly pid: number;
  readonly output: { stdout: string; stderr: string };
  /** Waits until either output matches. */
  waitFor(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  log(): LogLine[];
  /** Sends a request with the key that the server printed, unless the headers have another one. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of its response
  readonly body: any;
}

/** Starts `lorebase serve --json` on a free port. */
export async function serve(
  directory: string,
  options: { args?: readonly string[]; key?: string; env?: Record<string, string> } = {},
): Promise<Server> {
  const args = ["serve", "--json", "--port", "0", "--directory", directory, ...(options.args ?? [])];
  const started = follow(spawn(process.execPath, [main, ...args], { env: { ...process.env, ...options.env } }));
  await started.waitFor(/\n/);
  const { url, apiKey } = JSON.parse(started.output.stdout) as { url: string; apiKey: string | null };
  const key = apiKey ?? options.key;
  return {
    ...started,
    url,
    apiKey,
    log: () =>
      started.output.stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as LogLine),
    call: async (method, path, body, headers) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
  };
}

/** Reads the outputs of a process, and kills it after the test if it still runs. */
export function follow(child: ChildProcess): Pick<Server, "output" | "waitFor" | "kill" | "ended" | "pid"> {
  running.add(child);
  const output = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]!.setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const waitFor = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!pattern.test(output.stdout) && !pattern.test(output.stderr)) return;
        listeners.delete(check);
        resolve();
      };
      listeners.add(check);
      ended.then(() => reject(new Error(`ended without ${pattern}: ${output.stdout}${output.stderr}`)), reject);
      check();
    });
  return { output, waitFor, kill: (signal) => void child.kill(signal), ended, pid: child.pid! };
}

/** Creates a namespace that needs no model. */
export async function makeNamespace(server: Server, slug: string): Promise<void> {
  const embeddingConfig = { provider: "MANAGED_LEXICAL" };
  const { status } = await server.call("POST", "/v1/namespace", { name: slug, slug, embeddingConfig });
  expect(status).toBe(201);
}

/** Polls until the condition holds. */
export async function until<T>(poll: () => Promise<T>, holds: (answer: T) => boolean, withinMs = 20_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  while (true) {
    const answer = await poll();
    if (holds(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${JSON.stringify(answer)}`);
  }
}
