import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../errors.js";
import { packageVersion } from "../util/package-version.js";
import { didYouMean } from "../validation/did-you-mean.js";
import { askCommand } from "./ask.js";
import { backupCommand, restoreCommand } from "./backup.js";
import { exportCommand, importCommand } from "./bundle.js";
import { checkCommand } from "./check.js";
import type { Command } from "./command.js";
import { compactCommand } from "./compact.js";
import { crawlCommand } from "./crawl.js";
import { doctorCommand } from "./doctor.js";
import { documentCommands } from "./documents.js";
import { evalCommand } from "./eval.js";
import { feedbackCommands } from "./feedback.js";
import type { FlagName } from "./flags.js";
import { goldenCommands } from "./golden.js";
import { healthCommand } from "./health.js";
import { commandHelp, groupHelp, programHelp } from "./help.js";
import { ingestCommand } from "./ingest.js";
import { jobCommands } from "./jobs.js";
import { keyCommands } from "./keys.js";
import { mcpCommand } from "./mcp.js";
import { migrateCommand } from "./migrate.js";
import { namespaceCommands } from "./namespaces.js";
import { type CommandLine, parseCommandLine } from "./parse-command-line.js";
import { passagesCommand } from "./passages.js";
import { quotaCommand } from "./quota.js";
import { reembedCommands } from "./reembed.js";
import { explainCommand, searchCommand } from "./search.js";
import { serveCommand } from "./serve.js";
import { syncCommand } from "./sync.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";
import { webhookCommands } from "./webhooks.js";
import { workCommand } from "./work.js";

/** All commands. The help texts are generated from them. */
const COMMANDS: readonly Command[] = [
  ingestCommand,
  crawlCommand,
  syncCommand,
  searchCommand,
  passagesCommand,
  askCommand,
  explainCommand,
  ...namespaceCommands,
  ...reembedCommands,
  ...documentCommands,
  ...jobCommands,
  serveCommand,
  workCommand,
  mcpCommand,
  ...keyCommands,
  quotaCommand,
  ...feedbackCommands,
  ...goldenCommands,
  healthCommand,
  ...webhookCommands,
  exportCommand,
  importCommand,
  backupCommand,
  restoreCommand,
  evalCommand,
  migrateCommand,
  doctorCommand,
  checkCommand,
  compactCommand,
];
const FIRST_WORDS = [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0]!))];

/** Runs a command line. Returns the exit code: 0 success, 1 failure, 2 invalid command line, 130 stopped by Ctrl-C. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const printsJson = args.includes("--json");
  try {
    return await dispatch(parseCommandLine(args), terminal);
  } catch (error) {
    const failure = toFailure(error, terminal);
    if (printsJson) terminal.out(JSON.stringify({ error: { code: failure.code, message: failure.message } }));
    terminal.err(`lorebase: ${failure.message}\n`);
    return failure.exitCode;
  }
}

async function dispatch({ positionals, flags }: CommandLine, terminal: Terminal): Promise<number> {
  if (flags.version) return print(terminal, flags, "version", packageVersion());
  if (flags.help) return print(terminal, flags, "help", helpFor(positionals));
  const command = findCommand(positionals);
  const operands = positionals.slice(command.name.split(" ").length);
  checkUsage(command, operands, flags);
  const outcome = await command.run({ operands, flags, terminal });
  if (typeof outcome === "number") return outcome;
  terminal.out(flags.json ? JSON.stringify(outcome.json, null, 2) : outcome.text);
  return outcome.exitCode ?? 0;
}

function helpFor(positionals: readonly string[]): string {
  const [first] = positionals;
  if (first === undefined) return programHelp(COMMANDS);
  const group = findCommandGroup(first);
  return positionals.length === 1 && group.length > 0 ? groupHelp(first, group) : commandHelp(findCommand(positionals));
}

function findCommand([first, second]: readonly string[]): Command {
  if (first === undefined) throw new UsageError(`no command given; known: ${FIRST_WORDS.join(", ")}`);
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  if (command !== undefined) return command;
  const group = findCommandGroup(first);
  const names = group.map(({ name }) => name);
  if (group.length === 0) throw unknownCommand(first, FIRST_WORDS);
  if (second !== undefined) throw unknownCommand(`${first} ${second}`, names);
  // A first word alone, such as `lorebase jobs`, runs its `list` command.
  const list = group.find(({ name }) => name === `${first} list`);
  if (list === undefined) throw new UsageError(`${first} needs a subcommand: ${names.join(", ")}`);
  return list;
}

/** Returns the commands that share a first word. */
function findCommandGroup(word: string): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

function unknownCommand(name: string, known: readonly string[]): UsageError {
  return new UsageError(`unknown command "${name}"${didYouMean(name, known) || `; known: ${known.join(", ")}`}`);
}

function checkUsage(command: Command, operands: readonly string[], flags: CommandLine["flags"]): void {
  const supported: FlagName[] = [...command.flags, "json", "help", "version"];
  const unsupported = (Object.keys(flags) as FlagName[]).find((name) => !supported.includes(name));
  if (unsupported !== undefined)
    throw new UsageError(`${command.name} has no option --${unsupported}; see lorebase ${command.name} --help`);
  const { min, max } = command.operands ?? { min: 0, max: 0 };
  if (operands.length < min) throw new UsageError(`${command.name} needs ${command.usage}`);
  if (operands.length > max) throw new UsageError(`${command.name} does not take "${operands[max]}"`);
}

function toFailure(error: unknown, terminal: Terminal): { code: string; message: string; exitCode: number } {
  if (error instanceof UsageError) return { code: "usage", message: error.message, exitCode: 2 };
  if (terminal.signal.aborted && isAbortError(error)) return { code: "cancelled", message: "cancelled", exitCode: 130 };
  const code = KnowledgeBaseError.is(error) ? error.code : "internal";
  return { code, message: getErrorMessage(error), exitCode: 1 };
}

function print(terminal: Terminal, { json }: CommandLine["flags"], name: string, text: string): number {
  terminal.out(json ? JSON.stringify({ [name]: text }) : text);
  return 0;
}
