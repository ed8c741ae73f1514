import { createRequire } from "node:module";

const require = createRequire(new URL("../peers/package.json", import.meta.url));

/** Loads a package that is only installed in `bench/peers`. The caller declares its type. */
export function requirePeer<T>(name: string): T {
  return require(name) as T;
}

export function hasPeer(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
