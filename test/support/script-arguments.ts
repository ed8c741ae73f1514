import { buildSync } from "esbuild";

/**
 * The arguments with which Node runs a TypeScript module that loads no package, before the module's own. It is compiled
 * here, since tsx would take half a second of processor time in each process.
 */
export function scriptArguments(path: string): readonly string[] {
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    write: false,
  });
  // The path takes the place in `process.argv` that a file's has.
  return ["--input-type=module", "--eval", outputFiles[0]!.text, path];
}
