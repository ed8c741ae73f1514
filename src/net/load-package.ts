import { getErrorMessage, KnowledgeBaseError } from "../errors.js";

const NOT_FOUND_CODES = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/**
 * Imports an optional package at run time. The import is hidden from bundlers, which fail on packages that are not
 * installed and try to bundle the binary files of installed packages.
 */
export function importUnbundled(name: string): Promise<unknown> {
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
}

/**
 * Loads a vendor's package, an optional dependency that users install themselves.
 *
 * @param specifier The package and the supported major version, as in `@ai-sdk/openai@3`.
 * @param load Imports a package by name. @default an `import()` that bundlers ignore
 * @throws KnowledgeBaseError `not_ready`, with the install command, if the package is not installed or fails to load
 */
export async function loadPackage<Package>(
  specifier: string,
  load: (name: string) => Promise<unknown> = importUnbundled,
): Promise<Package> {
  const name = specifier.slice(0, specifier.lastIndexOf("@"));
  try {
    return (await load(name)) as Package;
  } catch (error) {
    const problem = isNotInstalled(error, name)
      ? "is not installed"
      : `fails to load (${firstLine(getErrorMessage(error))})`;
    const message = `The package ${name} ${problem}. Install it with: npm install ${specifier}`;
    throw new KnowledgeBaseError("not_ready", message, { cause: error });
  }
}

/** Returns whether the package itself is missing, rather than one of its dependencies. */
function isNotInstalled(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || !NOT_FOUND_CODES.has(String(error.code))) return false;
  return error.message.includes(`'${name}'`);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}
