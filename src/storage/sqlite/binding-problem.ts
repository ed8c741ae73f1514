/** Why better-sqlite3's native binding could not be loaded. */
export type BindingProblem = "missing" | "other-node" | "other-platform";

/** The problem, if an error comes from loading better-sqlite3's native binding; `null` for any other error. */
export function bindingProblemOf(error: unknown): BindingProblem | null {
  if (!(error instanceof Error)) return null;
  if (error.message.startsWith("Could not locate the bindings file")) return "missing";
  if (!("code" in error) || error.code !== "ERR_DLOPEN_FAILED") return null;
  return error.message.includes("NODE_MODULE_VERSION") ? "other-node" : "other-platform";
}
