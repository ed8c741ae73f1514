import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, unprivileged } from "./postgres-process.js";

const PID_FILE = "pgbouncer.pid";

/** Starts a PgBouncer in front of a server, which assigns a connection for each transaction. Returns its port. */
export async function startPgbouncer(directory: string, serverPort: number): Promise<number> {
  const port = await freePort();
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    // Fewer than the tests have clients, so that transactions of one client run on several connections.
    default_pool_size: 4,
    max_client_conn: 1000,
    pidfile: join(directory, PID_FILE),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `* = host=127.0.0.1 port=${serverPort} user=lorebase`;
  writeFileSync(join(directory, "pgbouncer.ini"), ["[databases]", target, "[pgbouncer]", ...lines, ""].join("\n"));
  const pooler = spawn("pgbouncer", ["-q", join(directory, "pgbouncer.ini")], unprivileged(directory));
  pooler.unref();
  while (!(await answers(port))) {
    if (pooler.exitCode !== null) throw new Error(`PgBouncer ended with code ${pooler.exitCode}`);
    await sleep(20);
  }
  return port;
}

/** Ends the pooler of a directory, if there is one. */
export function stopPgbouncer(directory: string): void {
  const pidFile = join(directory, PID_FILE);
  if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, "utf8")), "SIGQUIT");
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
