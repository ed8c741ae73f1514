import { spawn } from "node:child_process";

/** Runs a program to its end in a folder, with its output on stderr if it fails. */
export async function runProgram(program: string, args: readonly string[], folder: string): Promise<void> {
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => output.push(data));
  const code = await new Promise<number | null>((done, fail) => child.on("error", fail).on("close", done));
  if (code !== 0) throw new Error(`${program} failed with ${code}: ${Buffer.concat(output).toString().slice(-2000)}`);
}
