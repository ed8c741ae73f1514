import { isAbsolute, join, resolve } from "node:path";

/** The hub to download models from that are not on disk. */
export interface ModelHub {
  /** Origin of the hub. @default "https://huggingface.co" */
  readonly host: string;
  /** Timeout for the first byte of a response, in milliseconds. @default 5000 */
  readonly firstByteTimeoutMs: number;
  /** Timeout between two bytes of a download, in milliseconds. @default 30000 */
  readonly idleTimeoutMs: number;
}

export const DEFAULT_HUB: ModelHub = {
  host: "https://huggingface.co",
  firstByteTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
};

/** A model, and where its files may be. */
export interface ModelSource {
  /**
   * A name on the hub, such as `Xenova/all-MiniLM-L6-v2`, or the path of a folder: absolute, or beginning with `./` or
   * `../`.
   */
  readonly model: string;
  /** Contains downloaded or manually copied files in a folder with the model's name. */
  readonly modelsDirectory: string;
  readonly hub: ModelHub;
}

/** A short form of the hub's rule for names (`validate_repo_id` of huggingface_hub). */
const HUB_NAME = /^(?:\w[\w.-]*\/)?\w[\w.-]*$/;

export function isModelPath(model: string): boolean {
  return isAbsolute(model) || /^\.\.?[\\/]/.test(model);
}

/** Returns whether a string is valid as `ModelSource.model`: a name on the hub, or a path. */
export function isModelNameOrPath(model: string): boolean {
  if (isModelPath(model)) return !model.includes("\0");
  return HUB_NAME.test(model) && !model.includes("..") && !model.includes("--");
}

/** Returns the rule that `isModelNameOrPath` checks, for error messages. */
export function modelNameOrPathRule(example: string): string {
  return `must be a name on the hub such as ${example}, or a folder's path: absolute, or beginning with ./ or ../`;
}

/** Returns the folder of a model's `config.json`, which may not exist yet. */
export function modelDirectory({ model, modelsDirectory }: ModelSource): string {
  return isModelPath(model) ? resolve(model) : join(modelsDirectory, model);
}
