import { isAbsolute, join, resolve } from "node:path";

/** Where models that are not on the disk are fetched from. */
export interface ModelHub {
  /** Origin of the hub. @default "https://huggingface.co" */
  readonly host: string;
  /** Longest wait for the first byte of an answer, in milliseconds. @default 5000 */
  readonly firstByteTimeoutMs: number;
  /** Longest silence within a download, in milliseconds. @default 30000 */
  readonly idleTimeoutMs: number;
}

export const DEFAULT_HUB: ModelHub = {
  host: "https://huggingface.co",
  firstByteTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
};

/** A model and the locations where its files may be. */
export interface ModelSource {
  /**
   * A name on the hub, as in `Xenova/all-MiniLM-L6-v2`, or the path of a folder: absolute, or beginning with `./` or
   * `../`.
   */
  readonly model: string;
  /** Where downloads are kept and files put by hand are found, under the model's name. */
  readonly modelsDirectory: string;
  readonly hub: ModelHub;
}

/** The hub's own rule for names (`validate_repo_id` of huggingface_hub), in short. */
const HUB_NAME = /^(?:\w[\w.-]*\/)?\w[\w.-]*$/;

export function isModelPath(model: string): boolean {
  return isAbsolute(model) || /^\.\.?[\\/]/.test(model);
}

/** Whether a model's name is one that `ModelSource.model` allows. */
export function isModelName(model: string): boolean {
  if (isModelPath(model)) return !model.includes("\0");
  return HUB_NAME.test(model) && !model.includes("..") && !model.includes("--");
}

/** The folder that holds, or would hold, a model's `config.json`. */
export function modelDirectory({ model, modelsDirectory }: ModelSource): string {
  return isModelPath(model) ? resolve(model) : join(modelsDirectory, model);
}
