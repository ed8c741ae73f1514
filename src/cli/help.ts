import type { Command } from "./command.js";
import { FLAGS, type Flag, type FlagName } from "./flags.js";

/** The help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  return [
    "lorebase: documents in, cited passages out.",
    "",
    "Usage: lorebase <command> [options]",
    "",
    "Commands:",
    ...commandLines(commands),
    "",
    "Options:",
    ...flagLines(["directory", "namespace", "json", "help", "version"]),
    "",
    "LOREBASE_MASTER_KEY holds the key of stored secrets, and LOREBASE_ALLOW_PRIVATE_HOSTS",
    "hosts that may be called though they are not public; lists are separated by commas.",
    "LOREBASE_LLM_URL, LOREBASE_LLM_MODEL and LOREBASE_LLM_API_KEY name the language model of",
    "jobs with useLlm, behind an API as OpenAI's.",
    "",
    "`lorebase <command> --help` shows a command's own options.",
  ].join("\n");
}

/** The help of commands that share their first word. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return [
    `Usage: lorebase ${group} <command> [options]`,
    "",
    "Commands:",
    ...commandLines(commands),
    "",
    `\`lorebase ${group} <command> --help\` shows a command's own options.`,
  ].join("\n");
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  return [
    `Usage: lorebase ${`${command.name} ${command.usage}`.trim()} [options]`,
    "",
    `${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
    "",
    "Options:",
    ...flagLines([...command.flags, "json", "help"]),
  ].join("\n");
}

function commandLines(commands: readonly Command[]): string[] {
  const forms = commands.map(({ name, usage }) => `${name} ${usage}`.trim());
  const width = Math.max(...forms.map(({ length }) => length)) + 2;
  return commands.map(({ summary }, index) => `  ${forms[index]!.padEnd(width)}${summary}`);
}

function flagLines(names: readonly FlagName[]): string[] {
  return names.map((name) => {
    const { short, value, help }: Flag = FLAGS[name];
    const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
    return `  ${short === undefined ? "    " : `-${short}, `}${long.padEnd(22)}${help}`;
  });
}
