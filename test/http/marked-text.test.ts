import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MarkedText } from "#dist/http/ui-message-stream/marked-text.js";

describe("MarkedText", () => {
  it("puts a marker before the white space that follows the cited text", () => {
    const marked = new MarkedText();
    const sent = [marked.add("It is lit at dusk.\n\n")];
    const first = marked.cite(1, { start: 0, end: 18 });
    sent.push(first.delta, marked.add("It burns oil. "));
    const second = marked.cite(2, { start: 20, end: 33 });
    sent.push(second.delta, marked.add("Done."));
    const text = sent.join("");
    expect(text).toBe("It is lit at dusk. [1]\n\nIt burns oil. [2] Done.");
    expect([first, second].map(({ answerRange: { start, end } }) => text.slice(start, end))).toEqual([
      ...["It is lit at dusk.", "It burns oil."],
    ]);
    expect([first, second].map(({ markerRange: { start, end } }) => text.slice(start, end))).toEqual(["[1]", "[2]"]);
  });

  it("puts several markers at one place, but each only once", () => {
    const marked = new MarkedText();
    const text = marked.add("Lit at dusk.");
    const cites = [1, 2, 1].map((number) => marked.cite(number, { start: 0, end: 12 }));
    expect(text + cites.map(({ delta }) => delta).join("")).toBe("Lit at dusk. [1] [2]");
    expect(cites[2]!.markerRange).toEqual(cites[0]!.markerRange);
    expect(cites.every(({ answerRange }) => answerRange.end === 12)).toBe(true);
  });

  it("doesn't put a marker behind the end of a code block", () => {
    const marked = new MarkedText();
    const text = marked.add("```\nlamp --on\n```");
    expect(text + marked.cite(1, { start: 0, end: text.length }).delta).toBe("```\nlamp --on\n```\n\n[1]");
  });

  it("puts a marker into the last cell of a row", () => {
    const marked = new MarkedText();
    const rows = ["| A | dusk |", "\n| B | dawn", " |"];
    const sent = [marked.add(rows[0]!), marked.cite(1, { start: 2, end: 10 }).delta];
    sent.push(marked.add(rows[1]!), marked.add(rows[2]!), marked.cite(2, { start: 15, end: 23 }).delta, marked.end());
    expect(sent.join("")).toBe("| A | dusk [1] |\n| B | dawn [2] |");
  });

  it("moves ranges so that they select the same text, however the stream is cut", () => {
    // What ends a row of a table is never cited.
    const text = fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replaceAll("|", "/"));
    const step = fc.oneof(
      fc.record({ text }),
      fc.record({ number: fc.integer({ min: 1, max: 3 }), start: fc.nat(), length: fc.nat({ max: 20 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const marked = new MarkedText();
        let [answer, message] = ["", ""];
        const cites: { number: number; cited: string; ranges: ReturnType<MarkedText["cite"]> }[] = [];
        for (const step of steps) {
          if ("text" in step) {
            answer += step.text;
            message += marked.add(step.text);
            continue;
          }
          // A cited text ends where the answer is, or before the white space at its end.
          const end = answer.trimEnd().length;
          const start = Math.max(0, end - step.length);
          const ranges = marked.cite(step.number, { start, end });
          message += ranges.delta;
          cites.push({ number: step.number, cited: answer.slice(start, end), ranges });
        }
        // A range over earlier markers includes them.
        const withoutMarkers = (text: string) => text.replaceAll(/\s*\[[123]\]/g, "");
        for (const { number, cited, ranges } of cites) {
          const [selected, marker] = [ranges.answerRange, ranges.markerRange].map(({ start, end }) =>
            message.slice(start, end),
          );
          expect(marker).toBe(`[${number}]`);
          expect(withoutMarkers(selected!)).toBe(withoutMarkers(cited));
        }
      }),
    );
  });
});
