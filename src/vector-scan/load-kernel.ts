import { webAssembly } from "../util/web-assembly.js";
import { KERNEL } from "./kernel.js";

/**
 * An instance of the kernel with its memory. The files that kernel.as re-exports document the functions. The parameters
 * `query`, `records`, `sq4`, `signs`, `table` and `output` are addresses in the memory.
 */
export interface Kernel {
  readonly memory: KernelMemory;
  readonly scan: ScanFunction;
  readonly scanRows: ScanFunction;
  encodeSq4(records: number, stride: number, sq4: number, width: number, first: number, count: number): void;
  scanSq4(
    query: number,
    sq4: number,
    width: number,
    first: number,
    count: number,
    factor: number,
    spread: number,
    slack: number,
    threshold: number,
    output: number,
  ): number;
  encodeSigns(records: number, stride: number, signs: number, first: number, count: number): void;
  scanSigns(
    table: number,
    signs: number,
    stride: number,
    first: number,
    count: number,
    a: number,
    c: number,
    threshold: number,
    output: number,
  ): number;
}

/**
 * Memory that threads share. It grows by pages of 64 KiB, which creates a new buffer over the memory; it never shrinks.
 */
export interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

type ScanFunction = (
  query: number,
  records: number,
  stride: number,
  /** The number of the first record, or the address of the record numbers. */
  first: number,
  count: number,
  factor: number,
  spread: number,
  slack: number,
  threshold: number,
  output: number,
) => number;

interface Pages {
  readonly initial: number;
  readonly maximum: number;
}

/**
 * Creates a kernel with new memory, or with the memory of another thread's kernel.
 * @throws RangeError if memory can't be allocated
 */
export type KernelFactory = (memory: Pages | KernelMemory) => Kernel;

let factory: KernelFactory | null | undefined;

/** Loads the kernel. Returns `null` if Node does not support WebAssembly SIMD. */
export function loadKernel(): KernelFactory | null {
  if (factory === undefined) factory = compile(Buffer.from(KERNEL, "base64"));
  return factory;
}

function compile(bytes: Uint8Array): KernelFactory | null {
  const api = webAssembly;
  if (!api?.validate(bytes)) return null;
  const module = new api.Module(bytes);
  return (memoryOrPages) => {
    const memory = "buffer" in memoryOrPages ? memoryOrPages : new api.Memory({ ...memoryOrPages, shared: true });
    return { ...new api.Instance<Omit<Kernel, "memory">>(module, { env: { memory } }).exports, memory };
  };
}
