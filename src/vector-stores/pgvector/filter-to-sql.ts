import { encodeText } from "../../util/postgres-text.js";
import type { FilterCondition } from "../hosted/filter-condition.js";
import { fieldName } from "../hosted/filter-fields.js";

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** The parameters of a statement, in the order of their numbers. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value, and returns its placeholder. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** Translates a condition to SQL, which is never NULL. */
export function filterToSql(condition: FilterCondition, parameters: Parameters): string {
  switch (condition.op) {
    case "all":
    case "any": {
      const parts = condition.conditions.map((part) => filterToSql(part, parameters));
      return `(${parts.join(condition.op === "all" ? " AND " : " OR ")})`;
    }
    case "has":
      return `tokens && ${parameters.add(condition.tokens)}::text[]`;
    case "lacks":
      return `NOT tokens && ${parameters.add(condition.tokens)}::text[]`;
    case "numberRange": {
      const value = `(numbers ->> ${parameters.add(fieldName(condition.key))}::text)::float8`;
      return `coalesce(${value} ${OPERATORS[condition.comparison]} ${parameters.add(condition.value)}::float8, false)`;
    }
    case "stringRange": {
      const value = `(strings ->> ${parameters.add(fieldName(condition.key))}::text) COLLATE "C"`;
      const bound = parameters.add(encodeText(condition.value));
      return `coalesce(${value} ${OPERATORS[condition.comparison]} ${bound}::text, false)`;
    }
  }
}
