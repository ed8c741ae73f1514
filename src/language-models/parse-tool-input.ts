/** Parses a tool call's input; `undefined` if it isn't JSON. Models write nothing for a tool without parameters. */
export function parseToolInput(json: string | undefined): unknown {
  if (!json?.trim()) return {};
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
