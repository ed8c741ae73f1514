import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Running } from "./mounted.js";

/**
 * Makes a folder with the example's app and with this package installed as npm would: a folder of its own in node_modules, which is
 * what tells Next.js that it is external.
 */
export function installExample(folder: string): void {
  cpSync("examples/mount/next", folder, { recursive: true });
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@types/react"), { recursive: true });
  const own = new Set(["lorebase", "@types"]);
  for (const name of readdirSync("node_modules"))
    if (!own.has(name)) symlinkSync(resolve("node_modules", name), join(modules, name));
  symlinkSync(resolve("node_modules/@types/node"), join(modules, "@types/node"));
  // Without them Next.js builds nothing that is TypeScript; routes don't need what they say.
  writeFileSync(join(modules, "@types/react/package.json"), '{ "name": "@types/react", "types": "index.d.ts" }');
  writeFileSync(join(modules, "@types/react/index.d.ts"), "export {};\n");
  cpSync("dist", join(modules, "lorebase/dist"), { recursive: true });
  cpSync("package.json", join(modules, "lorebase/package.json"));
  // The other packages are links that lead out of the folder, which Turbopack follows below its root only.
  renameSync(join(folder, "next.config.mjs"), join(folder, "example.config.mjs"));
  const config = '{ ...config, turbopack: { root: "/" } }';
  writeFileSync(
    join(folder, "next.config.mjs"),
    `import config from "./example.config.mjs";\n\nexport default ${config};\n`,
  );
}

/** Runs `next dev`, which needs no build: a route is compiled when it is first asked for. */
export async function start(folder: string, env: Readonly<Record<string, string>>): Promise<Running> {
  const options = ["dev", "--hostname", "127.0.0.1", "--port", "0"];
  const child = spawn(process.execPath, ["node_modules/next/dist/bin/next", ...options], {
    cwd: folder,
    // In CI it installs nothing by itself.
    env: { ...process.env, CI: "1", NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "development", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // It has processes of its own, which end with their group.
    detached: true,
  });
  const closed = once(child, "close");
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => {
        said += part;
        const [, address] = /Local:\s+(http:\S+)[\s\S]*Ready/.exec(said) ?? [];
        if (address) resolve(address);
      });
    closed.then(() => reject(new Error(`next dev ended:\n${said}`)));
  });
  const close = async () => {
    if (child.exitCode === null) process.kill(-child.pid!, "SIGKILL");
    await closed;
  };
  return { url, close };
}
