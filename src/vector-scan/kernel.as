// AssemblyScript, compiled to WebAssembly with SIMD by the build (tsup.config.ts). Where things lie in memory is said by
// segment-scanner.ts; every address in these files is given by the caller.

export { scan, scanRows } from "./kernel-records";
export { encodeSq4, scanSq4 } from "./kernel-sq4";
export { scanSigns, sign } from "./kernel-signs";
