import { createRequire } from "node:module";
import { isAbortError, KnowledgeBaseError, messageOf } from "../errors.js";
import { didYouMean } from "../nearest.js";
import type { Command } from "./command.js";
import { doctorCommand } from "./doctor.js";
import { evalCommand } from "./eval.js";
import type { FlagName } from "./flags.js";
import { commandHelp, programHelp } from "./help.js";
import { ingestCommand } from "./ingest.js";
import { type CommandLine, parseCommandLine } from "./parse-command-line.js";
import { searchCommand } from "./search.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

const COMMANDS: readonly Command[] = [ingestCommand, searchCommand, evalCommand, doctorCommand];

/**
 * Runs one command line.
 * @returns the exit code: 0 done, 1 failed, 2 not a valid command line, 130 stopped by Ctrl-C.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const json = args.includes("--json");
  try {
    return await dispatch(parseCommandLine(args), terminal);
  } catch (error) {
    const failure = failureOf(error, terminal);
    if (json) terminal.out(JSON.stringify({ error: { code: failure.code, message: failure.message } }, null, 2));
    terminal.err(`lorebase: ${failure.message}\n`);
    return failure.exitCode;
  }
}

async function dispatch(line: CommandLine, terminal: Terminal): Promise<number> {
  const { flags, operands } = line;
  if (flags.version) return say(terminal, flags.json ? JSON.stringify({ version: version() }) : version());
  if (line.command === null) {
    if (flags.help)
      return say(terminal, flags.json ? JSON.stringify({ help: programHelp(COMMANDS) }) : programHelp(COMMANDS));
    throw new UsageError(`no command given; known: ${COMMANDS.map(({ name }) => name).join(", ")}`);
  }
  const command = commandNamed(line.command);
  if (flags.help)
    return say(terminal, flags.json ? JSON.stringify({ help: commandHelp(command) }) : commandHelp(command));
  checkLine(command, line);
  const outcome = await command.run({ operands, flags, terminal });
  terminal.out(flags.json ? JSON.stringify(outcome.json, null, 2) : outcome.text);
  return outcome.exitCode ?? 0;
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  throw new UsageError(`unknown command "${name}"${didYouMean(name, names) || `; known: ${names.join(", ")}`}`);
}

function checkLine(command: Command, { flags, operands }: CommandLine): void {
  const allowed: FlagName[] = [...command.flags, "json", "help", "version"];
  const stray = (Object.keys(flags) as FlagName[]).find((name) => !allowed.includes(name));
  if (stray !== undefined)
    throw new UsageError(`${command.name} has no option --${stray}; see lorebase ${command.name} --help`);
  const { min, max } = command.operands;
  if (operands.length < min) throw new UsageError(`${command.name} needs ${command.usage}`);
  if (operands.length > max) throw new UsageError(`${command.name} does not take "${operands[max]}"`);
}

function failureOf(error: unknown, terminal: Terminal): { code: string; message: string; exitCode: number } {
  if (error instanceof UsageError) return { code: "usage", message: error.message, exitCode: 2 };
  if (terminal.signal.aborted && isAbortError(error)) return { code: "cancelled", message: "cancelled", exitCode: 130 };
  const code = KnowledgeBaseError.is(error) ? error.code : "internal";
  return { code, message: messageOf(error), exitCode: 1 };
}

function say(terminal: Terminal, text: string): number {
  terminal.out(text);
  return 0;
}

function version(): string {
  return (createRequire(import.meta.url)("../../package.json") as { version: string }).version;
}
