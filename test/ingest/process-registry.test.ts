import { expect, it, onTestFinished } from "vitest";
import { currentProcess, findDeadProcesses } from "#dist/ingest/process-registry.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

it("distinguishes dead processes from live ones, and from those on other hosts", async () => {
  const { stdout } = await runScript("console.log(process.pid)", []);
  const gone = Number(stdout);
  const database = await openSqliteStorage(temporaryDirectory());
  onTestFinished(() => database.close());
  const self = currentProcess();
  const second = currentProcess();
  const others = [
    second,
    { ...self, id: "gone", pid: gone },
    // The process id lives, but it is another process's now.
    { ...self, id: "an earlier process.1" },
    { id: "elsewhere", host: "another machine", pid: gone },
  ];
  for (const process of [self, ...others])
    await database.processes.recordHeartbeat({ process, running: [], now: 0, leaseMs: 1 });
  const onLinux = process.platform === "linux";
  expect(await findDeadProcesses(database, self)).toEqual(onLinux ? ["gone", "an earlier process.1"] : ["gone"]);
});
