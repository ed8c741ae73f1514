import { afterAll, vi } from "vitest";

// Test files share a process. Each has modules of its own, with their state and hooks, and leaves timers and the
// environment as they were.
vi.resetModules();
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
