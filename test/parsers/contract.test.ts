import { describe, expect, test } from "vitest";
import { BUILT_IN_PARSERS } from "#dist/parsers/built-in-parsers.js";
import { parserContract } from "#dist/testing/parser-contract.js";
import { PARSER_SAMPLES } from "../support/parser-samples.js";

for (const parser of BUILT_IN_PARSERS) {
  describe(parser.name, () => {
    for (const { name, run } of parserContract(() => parser, PARSER_SAMPLES[parser.name]!)) test(name, run);
  });
}

test("every built-in parser has a sample", () => {
  expect(BUILT_IN_PARSERS.map((parser) => parser.name).toSorted()).toEqual(Object.keys(PARSER_SAMPLES).toSorted());
});
