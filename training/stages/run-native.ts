import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SOURCES = new URL("../native/", import.meta.url);
/** Two runs on one machine give the same table; other machines round otherwise. */
const FLAGS = ["-std=c++20", "-O3", "-march=native", "-ffast-math", "-Wall", "-Wextra", "-pthread"];

/** Compiles a program of `training/native` with g++ into a folder and runs it. What it says goes to this process's own output. */
export async function runNative(name: string, folder: string, args: readonly string[]): Promise<void> {
  const program = `${folder}/${name}`;
  await run("g++", [...FLAGS, fileURLToPath(new URL(`${name}.cpp`, SOURCES)), "-o", program]);
  await run(program, args);
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: "inherit" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ended with code ${code}`);
}
