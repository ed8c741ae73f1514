import { readYaml } from "../evaluate/read-yaml.js";
import { DEFAULT_SETTINGS, EVALUATION_MODES, type EvaluationSetting, settingSchema } from "../evaluate/settings.js";
import { z } from "../vendor/zod.js";
import { choiceOf } from "./flag-values.js";
import type { FlagValues } from "./flags.js";
import { UsageError } from "./usage-error.js";

/** The settings that the command line names; undefined where it names none. */
export async function settingsOf(flags: FlagValues): Promise<readonly EvaluationSetting[] | undefined> {
  const mode = choiceOf("mode", flags.mode, [...EVALUATION_MODES, "all"] as const);
  if (flags.settings === undefined) {
    if (mode === undefined) return undefined;
    return mode === "all" ? DEFAULT_SETTINGS : [{ name: mode, mode }];
  }
  if (mode !== undefined) throw new UsageError("--mode and --settings both say how to search: give one of them");
  return readYaml(flags.settings, z.array(settingSchema).min(1)) as Promise<readonly EvaluationSetting[]>;
}
