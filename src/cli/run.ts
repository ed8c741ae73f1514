import { isAbortError, KnowledgeBaseError, messageOf } from "../errors.js";
import { packageVersion } from "../util/package-version.js";
import { didYouMean } from "../validation/did-you-mean.js";
import type { Command } from "./command.js";
import { crawlCommand } from "./crawl.js";
import { doctorCommand } from "./doctor.js";
import { documentsDeleteCommand, documentsListCommand, documentsShowCommand } from "./documents.js";
import { evalCommand } from "./eval.js";
import { explainCommand } from "./explain.js";
import type { FlagName } from "./flags.js";
import { commandHelp, groupHelp, programHelp } from "./help.js";
import { ingestCommand } from "./ingest.js";
import { jobsCancelCommand, jobsDeleteCommand, jobsListCommand, jobsReingestCommand, jobsShowCommand } from "./jobs.js";
import { keysCreateCommand, keysListCommand, keysRevokeCommand } from "./keys.js";
import { namespacesDeleteCommand, namespacesListCommand } from "./namespaces.js";
import { type CommandLine, parseCommandLine } from "./parse-command-line.js";
import { keysRotateCommand } from "./rotate-keys.js";
import { searchCommand } from "./search.js";
import { serveCommand } from "./serve.js";
import { syncCommand } from "./sync.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

const COMMANDS: readonly Command[] = [
  ingestCommand,
  crawlCommand,
  syncCommand,
  searchCommand,
  explainCommand,
  namespacesListCommand,
  namespacesDeleteCommand,
  documentsListCommand,
  documentsShowCommand,
  documentsDeleteCommand,
  jobsListCommand,
  jobsShowCommand,
  jobsCancelCommand,
  jobsReingestCommand,
  jobsDeleteCommand,
  serveCommand,
  keysCreateCommand,
  keysListCommand,
  keysRevokeCommand,
  keysRotateCommand,
  evalCommand,
  doctorCommand,
];
/** Every first word. */
const WORDS = [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0]!))];

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
    if (json) terminal.out(JSON.stringify({ error: { code: failure.code, message: failure.message } }));
    terminal.err(`lorebase: ${failure.message}\n`);
    return failure.exitCode;
  }
}

async function dispatch(line: CommandLine, terminal: Terminal): Promise<number> {
  const { words, flags } = line;
  if (flags.version) return say(terminal, flags, "version", packageVersion());
  if (flags.help) return say(terminal, flags, "help", helpFor(words));
  const command = commandNamed(words);
  const operands = words.slice(command.name.split(" ").length);
  checkLine(command, operands, flags);
  const outcome = await command.run({ operands, flags, terminal });
  if (typeof outcome === "number") return outcome;
  terminal.out(flags.json ? JSON.stringify(outcome.json, null, 2) : outcome.text);
  return outcome.exitCode ?? 0;
}

function helpFor(words: readonly string[]): string {
  if (words.length === 0) return programHelp(COMMANDS);
  const group = groupOf(words[0]!);
  return words.length === 1 && group.length > 0 ? groupHelp(words[0]!, group) : commandHelp(commandNamed(words));
}

function commandNamed(words: readonly string[]): Command {
  const [first, second] = words;
  if (first === undefined) throw new UsageError(`no command given; known: ${WORDS.join(", ")}`);
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  if (command !== undefined) return command;
  const group = groupOf(first);
  const names = group.map(({ name }) => name);
  if (group.length === 0) throw unknownCommand(first, WORDS);
  if (second !== undefined) throw unknownCommand(`${first} ${second}`, names);
  // The word alone, as in `lorebase jobs`, lists.
  const list = group.find(({ name }) => name === `${first} list`);
  if (list === undefined) throw new UsageError(`${first} is several commands: ${names.join(", ")}`);
  return list;
}

/** The commands that share a first word. */
function groupOf(word: string): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

function unknownCommand(name: string, known: readonly string[]): UsageError {
  return new UsageError(`unknown command "${name}"${didYouMean(name, known) || `; known: ${known.join(", ")}`}`);
}

function checkLine(command: Command, operands: readonly string[], flags: CommandLine["flags"]): void {
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

function say(terminal: Terminal, { json }: CommandLine["flags"], name: string, text: string): number {
  terminal.out(json ? JSON.stringify({ [name]: text }) : text);
  return 0;
}
