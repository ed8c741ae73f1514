import { describe, expect, it } from "vitest";
import { parseCommandLine } from "#dist/cli/parse-command-line.js";
import { suggestName } from "#dist/validation/did-you-mean.js";

describe("parseCommandLine", () => {
  it("takes options before, between and after operands", () => {
    expect(parseCommandLine(["-d", "kb", "search", "tide", "--json", "table", "-k3"])).toEqual({
      words: ["search", "tide", "table"],
      flags: { directory: "kb", json: true, "top-k": "3" },
    });
    expect(parseCommandLine(["ingest", "--directory=--odd", "a"]).flags).toEqual({ directory: "--odd" });
  });

  it("leaves what follows -- alone", () => {
    expect(parseCommandLine(["search", "--", "--json", "-x"])).toEqual({
      words: ["search", "--json", "-x"],
      flags: {},
    });
  });

  it("takes a negative number or a JSON text as a value", () => {
    expect(parseCommandLine(["search", "x", "--filter", '{"a":-1}', "--top-k", "-1"]).flags).toEqual({
      filter: '{"a":-1}',
      "top-k": "-1",
    });
  });

  it.each([
    [["ingest", "--directry", "x"], "unknown option --directry; did you mean --directory?"],
    [["search", "--topk=5"], "unknown option --topk; did you mean --top-k?"],
    [["search", "--jsno"], "unknown option --jsno; did you mean --json?"],
    [["search", "-z"], "unknown option -z"],
    [["search", "--entirely-else"], "unknown option --entirely-else"],
    [["search", "--mode"], "--mode needs a value: --mode MODE"],
    [["search", "--directory", "--json"], "--directory needs a value: --directory PATH"],
    [["search", "--directory="], "--directory needs a value: --directory PATH"],
    [["search", "--json=yes"], "--json takes no value"],
  ])("refuses %j", (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(expect.objectContaining({ name: "UsageError", message }));
  });

  it("leaves a command out where none is named", () => {
    expect(parseCommandLine(["--version"])).toEqual({ words: [], flags: { version: true } });
  });
});

describe("suggestName", () => {
  it("finds a slip of the finger and nothing further", () => {
    const known = ["ingest", "search", "eval", "doctor"];
    expect(suggestName("serach", known)).toBe("search");
    expect(suggestName("Doctor", known)).toBe("doctor");
    expect(suggestName("injest", known)).toBe("ingest");
    expect(suggestName("delete", known)).toBeUndefined();
    expect(suggestName("x", [])).toBeUndefined();
  });
});
