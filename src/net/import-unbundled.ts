/**
 * Imports a package that may not be installed. A bundler fails on an import of a package that it doesn't find, unless it can't tell which
 * package that is, and tries to bundle binary files of one that it finds.
 */
export function importUnbundled(name: string): Promise<unknown> {
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
}
