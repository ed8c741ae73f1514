import { availableParallelism } from "node:os";

const MEGABYTE = 1024 * 1024;

/** How many documents are parsed at once. */
export function workerPoolSizes(): { readonly cpuBound: number; readonly waiting: number } {
  const cores = Math.min(4, availableParallelism());
  return { cpuBound: cores, waiting: 2 * cores };
}

/**
 * Files larger than this are parsed in a process, since `resourceLimits` doesn't limit a thread's Buffers. The worst
 * text of this size takes about 40 MB.
 */
export const MAX_THREAD_BYTES = 256 * 1024;

/** Maximum JavaScript heap of a thread, which holds little else because its files are small. */
export const THREAD_HEAP_MB = 192;

/** A process is replaced after this many documents. */
export const DOCUMENTS_PER_PROCESS = 100;

/**
 * The process's share of a document's memory limit; the rest is for the caller's copies of the file and its chunks.
 */
const PROCESS_SHARE = 0.8;
/**
 * The JavaScript heap's share of a process's memory, so that garbage is collected before the process exceeds its limit.
 */
const HEAP_SHARE = 0.7;
/** The share of its memory above which an idle process is replaced. */
const LARGE_SHARE = 0.5;

/**
 * Raises the memory limit for text recognition, which takes 500 to 600 MB for a scan at 600 dpi or a photograph of 48
 * megapixels.
 */
export const RAISED_LIMIT_FACTOR = 2;

/** The memory limits of a process for documents of which each may take `maxBytes`, the option `parseMemoryMb`. */
export function processLimits(maxBytes: number) {
  const processBytes = maxBytes * PROCESS_SHARE;
  return {
    /** The process is killed above it. */
    processBytes,
    heapMb: Math.floor((processBytes * HEAP_SHARE) / MEGABYTE),
    /** The process is replaced if it holds more than this after a document. */
    largeBytes: processBytes * LARGE_SHARE,
  };
}
