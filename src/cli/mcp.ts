import type { Command } from "./command.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { createLog } from "./log.js";
import { withNamespace } from "./with-namespace.js";

/** Serves an existing namespace to an agent, which starts this command and speaks MCP over its stdin and stdout. */
export const mcpCommand: Command = {
  name: "mcp",
  summary: "serve a namespace to an agent over MCP (stdio)",
  flags: [...NAMESPACE_FLAGS, "principal", "read-only"],
  run: (invocation) =>
    withNamespace(invocation, async (handle) => {
      const { terminal } = invocation;
      const { serveMcpStdio } = await import("../agents/mcp-server.js");
      const log = createLog(terminal, "json");
      const onError = (error: unknown) => log.error("request failed", error);
      // Any other output on stdout would break the protocol.
      terminal.interceptProcessOutput(({ kind, error }) => {
        if (kind !== "output") onError(error);
      });
      await serveMcpStdio(handle, { onError, writeLine: terminal.out, signal: terminal.signal });
      return 0 as const;
    }),
};
