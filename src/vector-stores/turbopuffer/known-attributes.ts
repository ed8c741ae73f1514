import { type FilterCondition, joinConditions } from "../hosted/filter-condition.js";
import { numberField, stringField } from "./translate-filter.js";

/** Returns the attributes that the ranges of a condition compare, some of which a namespace may lack. */
export function rangeAttributes(condition: FilterCondition): readonly string[] {
  if (condition.op === "all" || condition.op === "any") return condition.conditions.flatMap(rangeAttributes);
  const attribute = attributeOf(condition);
  return attribute === null ? [] : [attribute];
}

/** Simplifies a condition by treating ranges of unknown attributes as false. */
export function withKnownAttributes(
  condition: FilterCondition,
  isKnown: (attribute: string) => boolean,
): FilterCondition | boolean {
  if (condition.op === "all" || condition.op === "any") {
    return joinConditions(
      condition.op,
      condition.conditions.map((part) => withKnownAttributes(part, isKnown)),
    );
  }
  const attribute = attributeOf(condition);
  return attribute === null || isKnown(attribute) ? condition : false;
}

function attributeOf(condition: FilterCondition): string | null {
  if (condition.op === "numberRange") return numberField(condition.key);
  return condition.op === "stringRange" ? stringField(condition.key) : null;
}
