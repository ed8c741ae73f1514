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
  readonly said: { stdout: string; stderr: string };
  /** Waits for the process to say something on either output. */
  heard(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  log(): LogLine[];
  /** Calls the interface with the key that the server has printed, or another one. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it has asked for
  readonly body: any;
}

/** Starts `lorebase serve --json` on a free port. */
export async function serve(
  directory: string,
  options: { args?: readonly string[]; key?: string; env?: Record<string, string> } = {},
): Promise<Server> {
  const args = ["serve", "--json", "--port", "0", "--directory", directory, ...(options.args ?? [])];
  const started = follow(spawn(process.execPath, [main, ...args], { env: { ...process.env, ...options.env } }));
  await started.heard(/\n/);
  const { url, apiKey } = JSON.parse(started.said.stdout) as { url: string; apiKey: string | null };
  const key = apiKey ?? options.key;
  return {
    ...started,
    url,
    apiKey,
    log: () =>
      started.said.stderr
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

/** Reads what a process says, and ends it after the test should it still run. */
export function follow(child: ChildProcess): Pick<Server, "said" | "heard" | "kill" | "ended" | "pid"> {
  running.add(child);
  const said = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]!.setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const heard = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!pattern.test(said.stdout) && !pattern.test(said.stderr)) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      ended.then(() => reject(new Error(`ended without ${pattern}: ${said.stdout}${said.stderr}`)), reject);
      look();
    });
  return { said, heard, kill: (signal) => void child.kill(signal), ended, pid: child.pid! };
}

/** Makes a namespace that needs no model. */
export async function makeNamespace(server: Server, slug: string): Promise<void> {
  const embeddingConfig = { provider: "MANAGED_LEXICAL" };
  const { status } = await server.call("POST", "/v1/namespace", { name: slug, slug, embeddingConfig });
  expect(status).toBe(201);
}

/** Asks again until the answer is as wanted. */
export async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean, withinMs = 20_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  while (true) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${JSON.stringify(answer)}`);
  }
}
