import { parseArgs } from "node:util";
import { didYouMean } from "../validation/did-you-mean.js";
import { FLAGS, type Flag, type FlagName, type FlagValues } from "./flags.js";
import { UsageError } from "./usage-error.js";

/** A command line taken apart, its options checked to exist; whether they suit the command is the command's to say. */
export interface CommandLine {
  /** The command's name and its operands. */
  readonly words: readonly string[];
  readonly flags: FlagValues;
}

const names = Object.keys(FLAGS) as FlagName[];
const flagOf = (name: FlagName): Flag => FLAGS[name];

/**
 * Takes arguments apart. Options may stand anywhere; what follows `--` are operands.
 * @throws UsageError that names an unknown option and the nearest known one, or an option without its value.
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      names.map((name) => {
        const { short, value } = flagOf(name);
        return [name, { type: value === undefined ? "boolean" : "string", ...(short && { short }) }] as const;
      }),
    ),
  });
  const flags: Partial<Record<FlagName, string | true | readonly string[]>> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const name = known(token.name, token.rawName);
    const value = checkedValue(name, token.value, token.inlineValue === true);
    const before = (flags[name] ?? []) as readonly string[];
    flags[name] = flagOf(name).many && value !== true ? [...before, value] : value;
  }
  return { words, flags: flags as FlagValues };
}

function known(name: string, rawName: string): FlagName {
  const found = names.find((candidate) => candidate === name);
  if (found !== undefined) return found;
  throw new UsageError(`unknown option ${rawName}${didYouMean(name, names, "--")}`);
}

function checkedValue(name: FlagName, value: string | undefined, inline: boolean): string | true {
  const { value: placeholder } = flagOf(name);
  if (placeholder === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value`);
    return true;
  }
  // `--directory --json` most likely lacks the directory; `--directory=--json` means it.
  if (value === undefined || value === "" || (!inline && value.startsWith("--")))
    throw new UsageError(`--${name} needs a value: --${name} ${placeholder}`);
  return value;
}
