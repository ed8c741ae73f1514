// AssemblyScript, compiled to WebAssembly with SIMD by the build (tsup.config.ts). segment-scanner.ts defines the
// memory layout; the caller passes all addresses.

export { scan, scanRows } from "./kernel-records";
export { encodeSq4, scanSq4 } from "./kernel-sq4";
export { encodeSigns, scanSigns } from "./kernel-signs";
