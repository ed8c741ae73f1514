/** A server-sent event. */
export interface ServerSentEvent {
  /** @default "message" */
  readonly type: string;
  readonly data: string;
}

/** Maximum characters of an event. A typical event has a few hundred. */
const MAX_CHARACTERS = 4_000_000;

/**
 * Reads a stream of server-sent events (HTML standard, section 9.2.6) from chunks of any size, with lines that end in
 * LF, CR or CRLF. Ignores comments, ids, retry fields and an incomplete last event.
 *
 * @throws RangeError for an event of more than four million characters
 */
export async function* readEventStream(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let type = "";
  let data: string[] = [];
  let characters = 0;
  for await (const line of linesOf(bytes)) {
    if (line === "") {
      if (data.length > 0) yield { type: type || "message", data: data.join("\n") };
      type = "";
      data = [];
      characters = 0;
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") type = value;
    else if (field === "data") {
      data.push(value);
      characters += value.length + 1;
      requireWithinLimit(characters);
    }
  }
}

/** Yields complete lines without their line breaks. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let partialLine = "";
  /** Whether the last chunk ended with CR, so that an LF at the start of the next one belongs to the same line end. */
  let endsWithReturn = false;
  for await (const chunk of bytes) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (endsWithReturn && text.startsWith("\n")) text = text.slice(1);
    endsWithReturn = text.endsWith("\r");
    const lines = (partialLine + text).split(/\r\n|\n|\r/);
    partialLine = lines.pop()!;
    requireWithinLimit(partialLine.length);
    yield* lines;
  }
}

function requireWithinLimit(characters: number): void {
  if (characters > MAX_CHARACTERS)
    throw new RangeError(`A server-sent event has more than ${MAX_CHARACTERS} characters.`);
}
