import { KnowledgeBaseError, messageOf } from "../errors.js";
import { importUnbundled } from "./import-unbundled.js";

const ABSENT = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/**
 * Loads a vendor's package, which whoever needs it installs.
 *
 * @param specifier What npm installs: the package and the major version that the driver is written for, as in `@ai-sdk/openai@3`.
 * @param load How a package is imported by its name. @default `import()`, which bundlers leave as it is
 * @throws KnowledgeBaseError `not_ready`, with the command that installs it, for a package that is absent or doesn't load
 */
export async function loadPackage<Package>(
  specifier: string,
  load: (name: string) => Promise<unknown> = importUnbundled,
): Promise<Package> {
  const name = specifier.slice(0, specifier.lastIndexOf("@"));
  try {
    return (await load(name)) as Package;
  } catch (error) {
    const problem = isAbsent(error, name) ? "is not installed" : `does not load (${firstLine(messageOf(error))})`;
    const message = `The package ${name} ${problem}. Install it with: npm install ${specifier}`;
    throw new KnowledgeBaseError("not_ready", message, { cause: error });
  }
}

/** A package that is there may miss one of its own. */
function isAbsent(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || !ABSENT.has(String(error.code))) return false;
  return error.message.includes(`'${name}'`);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}
