import type { RequestLog } from "../http/index.js";
import { describeError, summarizeError } from "./describe-error.js";
import type { Terminal } from "./terminal.js";

type Level = "info" | "warn" | "error";
type Fields = Readonly<Record<string, string | number | null>>;

/** What a server says while it runs. */
export interface Log {
  info(msg: string, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  /** Something failed; see {@link describeError} for what of it is told. */
  error(msg: string, error: unknown, fields?: Fields): void;
  request(entry: RequestLog): void;
}

/** One JSON object a line, or short lines for people. */
export function createLog(terminal: Pick<Terminal, "err">, format: "json" | "text"): Log {
  const json = (level: Level, msg: string, fields: object = {}) =>
    terminal.err(`${JSON.stringify({ time: new Date().toISOString(), level, msg, ...fields })}\n`);
  const text = (level: Level, msg: string, fields: Fields = {}) => {
    const pairs = Object.entries(fields).map(([name, value]) => `  ${name}=${value}`);
    terminal.err(`${clock()} ${level === "info" ? "" : ` ${level}`} ${msg}${pairs.join("")}\n`);
  };
  if (format === "json") {
    return {
      info: (msg, fields) => json("info", msg, fields),
      warn: (msg, fields) => json("warn", msg, fields),
      error: (msg, error, fields) => json("error", msg, { ...fields, error: describeError(error) }),
      request: (entry) => json(levelOf(entry), "request", { ...entry, durationMs: rounded(entry.durationMs) }),
    };
  }
  return {
    info: (msg, fields) => text("info", msg, fields),
    warn: (msg, fields) => text("warn", msg, fields),
    error: (msg, error, fields) => text("error", `${msg}: ${summarizeError(describeError(error))}`, fields),
    request: (entry) => {
      const { method, operation, status, durationMs } = entry;
      text(levelOf(entry), `${status} ${method} ${operation ?? "(no operation)"}  ${rounded(durationMs)} ms`);
    },
  };
}

function levelOf({ status }: RequestLog): Level {
  return status >= 500 ? "error" : "info";
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function clock(): string {
  return new Date().toTimeString().slice(0, 8);
}
