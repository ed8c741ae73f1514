import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { connect, createServer, type Server } from "node:net";

const BRIDGE = "lore-bridge";
const NETWORK = "10.213.77";
/** The address of the campaign's own machine. */
export const HOST = `${NETWORK}.1`;

/** A machine as a network namespace, with an address and a host name of its own. */
export interface VirtualMachine {
  readonly name: string;
  readonly address: string;
  /** Starts a process on the machine. Its id is that of the returned process. */
  start(command: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess;
  /** Cuts the machine from the network, or connects it again. */
  setConnected(isConnected: boolean): void;
}

/** Creates machines on a network. Needs root, or the capabilities to administer the network. */
export function createMachines(names: readonly string[]): { machines: readonly VirtualMachine[]; remove(): void } {
  const remove = () => {
    for (const name of names) tryIp("netns", "del", name);
    tryIp("link", "del", BRIDGE);
  };
  remove();
  ip("link", "add", BRIDGE, "type", "bridge");
  ip("address", "add", `${HOST}/24`, "dev", BRIDGE);
  ip("link", "set", BRIDGE, "up");
  const machines = names.map((name, index) => createMachine(name, `${NETWORK}.${index + 10}`));
  return { machines, remove };
}

function createMachine(name: string, address: string): VirtualMachine {
  ip("netns", "add", name);
  ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name);
  ip("link", "set", name, "master", BRIDGE, "up");
  ip("-n", name, "address", "add", `${address}/24`, "dev", "eth0");
  for (const device of ["lo", "eth0"]) ip("-n", name, "link", "set", device, "up");
  return {
    name,
    address,
    start(command, args, env) {
      const script = 'hostname "$0" && exec "$@"';
      const inside = ["netns", "exec", name, "unshare", "--uts", "sh", "-c", script, name, command, ...args];
      return spawn("ip", inside, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    },
    setConnected: (isConnected) => ip("link", "set", name, isConnected ? "up" : "down"),
  };
}

/** Makes a server on this machine's 127.0.0.1 reachable for the machines. Returns its port there. */
export async function publish(port: number): Promise<{ readonly port: number; close(): void }> {
  const server: Server = createServer((socket) => {
    const target = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [socket, target],
      [target, socket],
    ] as const)
      from
        .on("error", () => to.destroy())
        .on("close", () => to.destroy())
        .pipe(to);
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return { port: (server.address() as { port: number }).port, close: () => void server.close() };
}

function ip(...args: string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}

function tryIp(...args: string[]): void {
  try {
    ip(...args);
  } catch {
    // There is none.
  }
}
