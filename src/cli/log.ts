import type { RequestLog } from "../http/index.js";
import type { KnowledgeBase } from "../index.js";
import { describeError, summarizeError } from "./describe-error.js";
import type { Terminal } from "./terminal.js";

type Level = "info" | "warn" | "error";
type Fields = Readonly<Record<string, string | number | null>>;

/** The log of a running server or worker. */
export interface Log {
  info(msg: string, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  /** Logs only the parts of an error that {@link describeError} keeps. */
  error(msg: string, error: unknown, fields?: Fields): void;
  request(entry: RequestLog): void;
}

/** Creates a log that writes one JSON object per line, or short lines for people. */
export function createLog(terminal: Pick<Terminal, "err">, format: "json" | "text"): Log {
  const json = (level: Level, msg: string, fields: object = {}) =>
    terminal.err(`${JSON.stringify({ time: new Date().toISOString(), level, msg, ...fields })}\n`);
  const text = (level: Level, msg: string, fields: Fields = {}) => {
    const pairs = Object.entries(fields).map(([name, value]) => `  ${name}=${value}`);
    const time = new Date().toTimeString().slice(0, 8);
    terminal.err(`${time} ${level === "info" ? "" : ` ${level}`} ${msg}${pairs.join("")}\n`);
  };
  if (format === "json") {
    return {
      info: (msg, fields) => json("info", msg, fields),
      warn: (msg, fields) => json("warn", msg, fields),
      error: (msg, error, fields) => json("error", msg, { ...fields, error: describeError(error) }),
      request: (entry) => json(logLevel(entry), "request", { ...entry, durationMs: roundMs(entry.durationMs) }),
    };
  }
  return {
    info: (msg, fields) => text("info", msg, fields),
    warn: (msg, fields) => text("warn", msg, fields),
    error: (msg, error, fields) => text("error", `${msg}: ${summarizeError(describeError(error))}`, fields),
    request: (entry) => {
      const { requestId, method, operation, status, durationMs } = entry;
      const msg = `${status} ${method} ${operation ?? "(no operation)"}  ${roundMs(durationMs)} ms`;
      text(logLevel(entry), msg, { requestId });
    },
  };
}

/** Logs what libraries write to stdout and stderr, Node's warnings and uncaught exceptions, which would mix with output. */
export function logProcessOutput(terminal: Terminal, log: Log): void {
  terminal.interceptProcessOutput(({ kind, error }) => {
    if (kind === "output") log.warn("output of a library was suppressed");
    else log.error(kind === "warning" ? "Node issued a warning" : "uncaught exception", error);
  });
}

/** Logs warnings, background errors and model downloads, which no call reports. */
export function logEvents(kb: KnowledgeBase, log: Log): void {
  // A warning quotes its cause after a colon, and the messages of errors must not be logged, see `describeError`.
  kb.on("warning", ({ message }) => log.warn(message.split(": ", 1)[0]!));
  kb.on("error", ({ error }) => log.error("background work failed", error));
  const lastQuarters = new Map<string, number>();
  kb.on("model.progress", ({ file, loaded, total }) => {
    const quarter = total ? Math.floor((4 * loaded) / total) : 0;
    if (lastQuarters.get(file) === quarter) return;
    lastQuarters.set(file, quarter);
    log.info("loading a model", { file, loaded, total });
  });
}

function logLevel({ status }: RequestLog): Level {
  return status >= 500 ? "error" : "info";
}

function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
