import { readFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import threads from "node:worker_threads";

// A thread that runs entries of the package, one after the other (reused-threads.ts). An entry in CommonJS is a bundle,
// so it runs with modules and state of its own, as in a thread of its own. One that is an ECMAScript module runs again,
// with the modules that it imported before.
const control = threads.parentPort;
const Thread = threads.Worker;
/** The compiled bundles, by path. */
const scripts = new Map();
let starts = 0;

control.on("message", async ({ entry, port, workerData }) => {
  const children = [];
  class Worker extends Thread {
    constructor(...settings) {
      super(...settings);
      children.push(this);
    }
  }
  Object.assign(threads, { Worker, parentPort: port, workerData });
  syncBuiltinESMExports();
  let loading;
  port.once("close", async () => {
    await loading;
    // Otherwise they would outlive the entry that started them.
    await Promise.all(children.map((child) => child.terminate()));
    control.postMessage("ended");
  });
  loading = entry.endsWith(".cjs") ? runBundle(fileURLToPath(entry)) : import(`${entry}?start=${starts++}`);
  await loading;
});

function runBundle(path) {
  if (!scripts.has(path)) {
    const code = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, "utf8")}\n})`;
    scripts.set(path, new Script(code, { filename: path }));
  }
  const module = { exports: {} };
  scripts.get(path).runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
}
