import { formatColumns } from "./columns.js";
import type { Command } from "./command.js";
import { FLAGS, type Flag, type FlagName } from "./flags.js";

export function programHelp(commands: readonly Command[]): string {
  return [
    "lorebase: documents in, cited passages out.",
    "",
    "Usage: lorebase <command> [options]",
    "",
    "Commands:",
    formatCommands(commands),
    "",
    "Options:",
    formatFlags(["directory", "namespace", "json", "help", "version"]),
    "",
    "LOREBASE_MASTER_KEY is the key that encrypts stored secrets. LOREBASE_ALLOW_PRIVATE_HOSTS",
    "lists private hosts that may be called. Both can be lists separated by commas.",
    "LOREBASE_LLM_URL, LOREBASE_LLM_MODEL and LOREBASE_LLM_API_KEY select the language model",
    "of answers and of jobs with useLlm. Its API must be compatible with OpenAI's.",
    "",
    "`lorebase <command> --help` shows the options of a command.",
  ].join("\n");
}

/** Formats the help of commands that share their first word. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return [
    `Usage: lorebase ${group} <command> [options]`,
    "",
    "Commands:",
    formatCommands(commands),
    "",
    `\`lorebase ${group} <command> --help\` shows the options of a command.`,
  ].join("\n");
}

export function commandHelp(command: Command): string {
  return [
    `Usage: lorebase ${formatSynopsis(command)} [options]`,
    "",
    `${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
    ...(command.details === undefined ? [] : ["", command.details]),
    "",
    "Options:",
    formatFlags([...command.flags, "json", "help"]),
  ].join("\n");
}

function formatCommands(commands: readonly Command[]): string {
  return formatColumns(commands.map((command) => [`  ${formatSynopsis(command)}`, command.summary]));
}

function formatSynopsis({ name, usage }: Command): string {
  return usage === undefined ? name : `${name} ${usage}`;
}

function formatFlags(names: readonly FlagName[]): string {
  const rows = names.map((name) => {
    const { short, placeholder, help }: Flag = FLAGS[name];
    const long = `--${name}${placeholder === undefined ? "" : ` ${placeholder}`}`;
    return [`  ${short === undefined ? "    " : `-${short}, `}${long}`, help];
  });
  return formatColumns(rows);
}
