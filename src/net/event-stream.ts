/** An event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** @default "message" */
  readonly type: string;
  readonly data: string;
}

/** What an event may take, in characters: an answer's part has some hundred. */
const MOST_CHARACTERS = 4_000_000;

/**
 * Reads a stream of server-sent events as the standard has it (HTML, section 9.2.6): however its bytes are cut, with lines that end with
 * LF, CR or both. Comments, ids and times of reconnection are passed over; so is an event that the stream breaks off in.
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
      refuseAbove(characters);
    }
  }
}

/** Lines that have ended. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  /** Whether the last line ended with a CR at the end of what had come: an LF right after it belongs to it. */
  let afterReturn = false;
  for await (const piece of bytes) {
    let text = decoder.decode(piece, { stream: true });
    if (text === "") continue;
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text.endsWith("\r");
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = lines.pop()!;
    refuseAbove(rest.length);
    yield* lines;
  }
}

function refuseAbove(characters: number): void {
  if (characters > MOST_CHARACTERS) throw new RangeError(`an event of more than ${MOST_CHARACTERS} characters`);
}
