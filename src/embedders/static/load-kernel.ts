import { webAssembly } from "../../util/web-assembly.js";
import { KERNEL } from "./kernel.js";

/**
 * The exports of kernel.as. Parameters are addresses in `buffer`, except `stride`, `count`, `length`, `pieceCount` and
 * `mask`.
 */
export interface Kernel {
  /** The kernel's memory, of fixed size. */
  readonly buffer: SharedArrayBuffer;
  addRows(codes: number, stride: number, weights: number, pieces: number, count: number, sum: number): void;
  buildIndex(units: number, length: number, starts: number, pieceCount: number, slots: number, mask: number): number;
}

const PAGE_BYTES = 65_536;
/** The maximum memory that the kernel is compiled with (tsup.config.ts). */
const MAX_PAGES = 65_536;

/** Loads the kernel with at least `bytes` of memory. Returns `null` if Node does not support WebAssembly SIMD. */
export function loadKernel(bytes: number): Kernel | null {
  const wasm = Buffer.from(KERNEL, "base64");
  if (!webAssembly?.validate(wasm)) return null;
  const memory = new webAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES), maximum: MAX_PAGES, shared: true });
  const { addRows, buildIndex } = new webAssembly.Instance<Pick<Kernel, "addRows" | "buildIndex">>(
    new webAssembly.Module(wasm),
    {
      env: { memory },
    },
  ).exports;
  return { buffer: memory.buffer, addRows, buildIndex };
}
