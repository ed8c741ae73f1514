import { parseArgs } from "node:util";
import { didYouMean } from "../validation/did-you-mean.js";
import { FLAGS, type Flag, type FlagName, type FlagValues } from "./flags.js";
import { UsageError } from "./usage-error.js";

/** A parsed command line. All its options exist, but the command may not support them. */
export interface CommandLine {
  /** The command's name and its operands. */
  readonly positionals: readonly string[];
  readonly flags: FlagValues;
}

const flagNames = Object.keys(FLAGS) as FlagName[];
const flagOf = (name: FlagName): Flag => FLAGS[name];

/**
 * Parses a command line. Options can be anywhere; everything after `--` is an operand.
 * @throws UsageError for an unknown option, and for a missing or unexpected value
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      flagNames.map((name) => {
        const { short, placeholder } = flagOf(name);
        return [name, { type: placeholder === undefined ? "boolean" : "string", ...(short && { short }) }] as const;
      }),
    ),
  });
  const flags: Partial<Record<FlagName, string | true | readonly string[]>> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const name = requireFlagName(token.name, token.rawName);
    const value = requireValue(name, token.value, token.inlineValue === true);
    const previous = (flags[name] ?? []) as readonly string[];
    flags[name] = flagOf(name).multiple && value !== true ? [...previous, value] : value;
  }
  return { positionals, flags: flags as FlagValues };
}

function requireFlagName(name: string, rawName: string): FlagName {
  const found = flagNames.find((candidate) => candidate === name);
  if (found !== undefined) return found;
  throw new UsageError(`unknown option ${rawName}${didYouMean(name, flagNames, "--")}`);
}

function requireValue(name: FlagName, value: string | undefined, isInline: boolean): string | true {
  const { placeholder } = flagOf(name);
  if (placeholder === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value`);
    return true;
  }
  // In `--directory --json` the directory is most likely missing; `--directory=--json` is unambiguous.
  if (value === undefined || value === "" || (!isInline && value.startsWith("--")))
    throw new UsageError(`--${name} needs a value: --${name} ${placeholder}`);
  return value;
}
