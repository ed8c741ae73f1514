import { afterAll, vi } from "vitest";
import { reuseThreads } from "./reused-threads.js";

// Test files share a process, and its threads. Each has modules of its own, with their state and hooks, and leaves
// timers and the environment as they were.
reuseThreads();
vi.resetModules();
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
