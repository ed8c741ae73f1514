import { describe, expect, it } from "vitest";
import { parseCommandLine } from "#dist/cli/parse-command-line.js";
import { suggestName } from "#dist/validation/did-you-mean.js";

describe("parseCommandLine", () => {
  it("accepts options before, between and after operands", () => {
    expect(parseCommandLine(["-d", "kb", "search", "tide", "--json", "table", "-k3"])).toEqual({
      positionals: ["search", "tide", "table"],
      flags: { directory: "kb", json: true, "top-k": "3" },
    });
    expect(parseCommandLine(["ingest", "--directory=--odd", "a"]).flags).toEqual({ directory: "--odd" });
  });

  it("treats everything after -- as operands", () => {
    expect(parseCommandLine(["search", "--", "--json", "-x"])).toEqual({
      positionals: ["search", "--json", "-x"],
      flags: {},
    });
  });

  it("accepts a negative number or JSON as a value", () => {
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

  it("returns no positionals if no command is given", () => {
    expect(parseCommandLine(["--version"])).toEqual({ positionals: [], flags: { version: true } });
  });
});

describe("suggestName", () => {
  it("finds names with a typing error and no more distant ones", () => {
    const known = ["ingest", "search", "eval", "doctor"];
    expect(suggestName("serach", known)).toBe("search");
    expect(suggestName("Doctor", known)).toBe("doctor");
    expect(suggestName("injest", known)).toBe("ingest");
    expect(suggestName("delete", known)).toBeUndefined();
    expect(suggestName("x", [])).toBeUndefined();
    expect(suggestName("bat", ["cat", "hat"])).toBe("cat");
    expect(suggestName("ba", ["ab"])).toBe("ab");
  });

  it("compares no names whose lengths differ by more than a typing error", () => {
    // Their distance alone would take hours.
    expect(suggestName("x".repeat(1_000_000), ["x".repeat(2_000_000)])).toBeUndefined();
  });
});
