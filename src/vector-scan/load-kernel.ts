import { KERNEL } from "./kernel.js";

/** A kernel with a memory of its own. The meaning of what it exports is told in the files that kernel.as names. */
export interface Kernel {
  readonly memory: KernelMemory;
  readonly scan: Score;
  readonly scanRows: Score;
  sketch(records: number, stride: number, sketches: number, width: number, first: number, count: number): void;
  scanSketches(
    query: number,
    sketches: number,
    width: number,
    first: number,
    count: number,
    factor: number,
    spread: number,
    slack: number,
    threshold: number,
    found: number,
  ): number;
  sign(records: number, stride: number, signs: number, first: number, count: number): void;
  scanSigns(
    table: number,
    signs: number,
    stride: number,
    first: number,
    count: number,
    a: number,
    c: number,
    threshold: number,
    found: number,
  ): number;
}

/** It grows, by pages of 64 KiB, and never shrinks; threads share it. Growing makes a new buffer of the same memory. */
export interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

type Score = (
  query: number,
  records: number,
  stride: number,
  /** The number of the first record, or where the numbers of the records stand. */
  first: number,
  count: number,
  factor: number,
  spread: number,
  slack: number,
  threshold: number,
  found: number,
) => number;

interface Pages {
  readonly initial: number;
  readonly maximum: number;
}

/**
 * Makes a kernel with a memory of some pages, or over one that another thread made. @throws RangeError where there is
 * no memory to be had
 */
export type KernelFactory = (memory: Pages | KernelMemory) => Kernel;

/** What is used of WebAssembly: TypeScript declares it for browsers only. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: Pages & { readonly shared: true }) => KernelMemory;
  Instance: new (module: object, imports: object) => { readonly exports: Omit<Kernel, "memory"> };
}

let factory: KernelFactory | null | undefined;

/** `null` if this Node runs no WebAssembly with SIMD. */
export function loadKernel(): KernelFactory | null {
  if (factory === undefined) factory = compile(Buffer.from(KERNEL, "base64"));
  return factory;
}

function compile(bytes: Uint8Array): KernelFactory | null {
  const { WebAssembly: api } = globalThis as { readonly WebAssembly?: unknown } as { WebAssembly?: WebAssemblyApi };
  if (!api?.validate(bytes)) return null;
  const module = new api.Module(bytes);
  return (given) => {
    const memory = "buffer" in given ? given : new api.Memory({ ...given, shared: true });
    return { ...new api.Instance(module, { env: { memory } }).exports, memory };
  };
}
