import { channel } from "node:diagnostics_channel";
import fs from "node:fs";
import Module, { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import threads from "node:worker_threads";
import type BetterSqlite3 from "better-sqlite3";

// Preloaded into every thread of a process. Puts a failpoint before and after each call by which the engine changes what
// a killed process leaves behind: commits, changes of files, requests to others. Wherever a kill comes between two of
// them, it leaves the same. So these are all steps that can be told apart, and the engine needs no code for them.
//
// A failpoint is named after the operations of a commit, or after the module and function of a call:
// "documents.publish before commit", "backup/manifest writeManifest after rename".

const folder = process.env.LOREBASE_FAILPOINTS!;
const library = process.env.LOREBASE_FAILPOINTS_LIBRARY!;
const { readFileSync, writeFileSync } = fs;

/** How often a pass of the same failpoint is noted. */
const MAX_NOTED = 6;
/** How often this thread has passed each failpoint. */
const passes = new Map<string, number>();
/** How often it had passed the armed one when it was armed. */
let armed = { name: "", earlier: 0 };

/** Whether this module itself reads or writes, which are no steps of the engine. */
let isPassing = false;

function pass(name: string): void {
  isPassing = true;
  const count = passes.get(name) ?? 0;
  passes.set(name, count + 1);
  if (count < MAX_NOTED) note(`seen-${threads.threadId}`, `${name}\n`);
  const [armedName, wait] = readFileSync(join(folder, "armed"), "utf8").split("\t") as [string, string];
  if (armedName === name) {
    if (armed.name !== name) armed = { name, earlier: count };
    if (count - armed.earlier >= Number(wait)) die(name);
  }
  isPassing = false;
}

function die(name: string): void {
  note("killed", name);
  process.kill(process.pid, "SIGKILL");
  // Nothing follows, however long the signal takes.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function note(file: string, text: string): void {
  writeFileSync(join(folder, file), text, { flag: "a" });
}

type Call = (this: unknown, ...parameters: never[]) => unknown;

/** Replaces a function by one that passes a failpoint before and after each call by the engine. */
function watch(owner: object, key: string, isChange: (...parameters: never[]) => boolean = () => true): void {
  const functions = owner as Record<string, Call>;
  const original = functions[key]!;
  functions[key] = function (...parameters) {
    const step = !isPassing && isChange(...parameters) ? stepOf(key) : null;
    if (step === null) return original.apply(this, parameters);
    return around([step], () => original.apply(this, parameters));
  };
}

function around(steps: readonly (readonly [string, string])[], call: () => unknown): unknown {
  const passAll = (when: string) => {
    for (const [place, action] of steps) pass(`${place} ${when} ${action}`);
  };
  passAll("before");
  const result = call();
  if (!(result instanceof Promise)) {
    passAll("after");
    return result;
  }
  return result.then((value) => {
    passAll("after");
    return value;
  });
}

/** Modules that write files for others. */
const HELPERS = /^(?:util|blob-stores)\//;

/** The place in the engine that the running call comes from, and an action; `null` for a call by anything else. */
function stepOf(action: string): readonly [string, string] | null {
  const frames = engineFrames();
  const [nearest] = frames;
  if (!nearest) return null;
  const { module } = frames.find((frame) => !HELPERS.test(frame.module)) ?? nearest;
  return [`${module} ${nearest.name}`, action.replace(/Sync$/, "")];
}

function engineFrames(): readonly { readonly module: string; readonly name: string }[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (_, frames) => frames;
  Error.stackTraceLimit = 20;
  const { stack } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return (stack as unknown as NodeJS.CallSite[]).flatMap((frame) => {
    const file = (frame.getFileName() ?? "").replace(/^file:.*/, (url) => fileURLToPath(url));
    if (!file.startsWith(library)) return [];
    const name = (frame.getFunctionName() ?? "").replace(/^.*\.|^#|\d$/g, "");
    return [{ module: moduleAt(file, frame.getLineNumber() ?? 0), name: name || "callback" }];
  });
}

const bundles = new Map<string, readonly string[]>();

/** The module of a line: bundles have the name of each module in a comment before its code. */
function moduleAt(file: string, line: number): string {
  let modules = bundles.get(file);
  if (!modules) {
    let current = file.slice(library.length);
    isPassing = true;
    modules = readFileSync(file, "utf8")
      .split("\n")
      .map((text) => {
        current = /^\/\/ (?:src|dist)\/(\S+)\.[jt]s$/.exec(text)?.[1] ?? current;
        return current;
      });
    isPassing = false;
    bundles.set(file, modules);
  }
  return modules[line - 1]!.replace(/\.\w+$/, "");
}

const WRITES = /[wa+]/;
const opensForWriting = (_: never, flags: unknown = "r") => typeof flags === "string" && WRITES.test(flags);

const FILE_CHANGES = ["rename", "rm", "unlink", "link", "copyFile", "writeFile"];
for (const key of FILE_CHANGES) watch(fs.promises, key);
watch(fs.promises, "open", opensForWriting);
for (const key of [...FILE_CHANGES.map((each) => `${each}Sync`), "writeSync", "fsyncSync", "createWriteStream"])
  watch(fs, key);
watch(fs, "openSync", opensForWriting);
watchFileHandles();
watchThreads();
syncBuiltinESMExports();

/** The class of file handles is had from a handle only. */
function watchFileHandles(): void {
  const { open } = fs.promises;
  let isWatched = false;
  fs.promises.open = async (...parameters) => {
    const handle = await open(...parameters);
    if (!isWatched) for (const key of ["write", "writeFile", "sync"]) watch(Object.getPrototypeOf(handle), key);
    isWatched = true;
    return handle;
  };
}

/** The engine's threads have neither the environment nor the options of the process. */
function watchThreads(): void {
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options: threads.WorkerOptions = {}) {
      const env = { LOREBASE_FAILPOINTS: folder, LOREBASE_FAILPOINTS_LIBRARY: library };
      super(file, { ...options, env, execArgv: [...(options.execArgv ?? []), "--require", __filename] });
    }
  };
}

/** The operations that the thread was asked for since the last commit, or before it in the same message. */
const requested = new Set<string>();
let isCommitted = false;

if (threads.parentPort) {
  const { parentPort } = threads;
  const on = parentPort.on.bind(parentPort) as (
    event: string,
    listener: (message: unknown) => void,
  ) => typeof parentPort;
  parentPort.on = ((event: string, listener: (message: unknown) => void) =>
    on(event, (message) => {
      const requests = Array.isArray(message) ? (message as { kind?: string; name?: string }[]) : [];
      if (isCommitted) requested.clear();
      isCommitted = false;
      for (const { kind, name } of requests) if (kind === "procedure" && name) requested.add(name);
      listener(message);
    })) as typeof parentPort.on;
}

const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
const load = loader._load;
let isSqliteWatched = false;
loader._load = (request, ...rest) => {
  const loaded = load(request, ...rest);
  if (request === "better-sqlite3" && !isSqliteWatched) {
    isSqliteWatched = true;
    watchSqlite(loaded as typeof BetterSqlite3);
  }
  return loaded;
};

function watchSqlite({ prototype }: typeof BetterSqlite3): void {
  const { prepare, exec, close, pragma } = prototype;
  const commits = (sql: string) => /^COMMIT/i.test(sql);
  const ifWriter = (db: BetterSqlite3.Database, action: string, call: () => unknown) => {
    const step = db.readonly || db.memory ? null : stepOf(action);
    return step ? around([step], call) : call();
  };
  const commit = (db: BetterSqlite3.Database, call: () => unknown) => {
    const names = [...requested];
    isCommitted = true;
    if (db.readonly || names.length === 0) return ifWriter(db, "commit", call);
    return around(
      names.map((name) => [name, "commit"]),
      call,
    );
  };
  Object.assign(prototype, {
    prepare(this: BetterSqlite3.Database, sql: string) {
      const statement = prepare.call(this, sql);
      if (!commits(sql)) return statement;
      const run = statement.run.bind(statement) as () => unknown;
      return Object.assign(statement, { run: () => commit(this, run) });
    },
    exec(this: BetterSqlite3.Database, sql: string) {
      return commits(sql) ? commit(this, () => exec.call(this, sql)) : exec.call(this, sql);
    },
    close(this: BetterSqlite3.Database) {
      return ifWriter(this, "close", () => close.call(this));
    },
    pragma(this: BetterSqlite3.Database, source: string, options?: BetterSqlite3.PragmaOptions) {
      if (!/^journal_mode *=/.test(source)) return pragma.call(this, source, options);
      return ifWriter(this, "journal mode", () => pragma.call(this, source, options));
    },
  });
  watch(prototype, "backup");
}

channel("undici:client:sendHeaders").subscribe(() => pass("request before send"));
channel("undici:request:headers").subscribe(() => pass("request after answer"));
