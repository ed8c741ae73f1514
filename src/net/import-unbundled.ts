/**
 * Imports an optional package at run time. Hidden from bundlers, which fail on packages that are not installed and try
 * to bundle binary files of those that are.
 */
export function importUnbundled(name: string): Promise<unknown> {
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
}
