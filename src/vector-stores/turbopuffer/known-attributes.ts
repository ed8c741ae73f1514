import { type FilterCondition, joinConditions } from "../hosted/filter-condition.js";
import { numberField, stringField } from "./translate-filter.js";

/** The attributes that a condition compares with a range, which a namespace may lack. */
export function orderedAttributes(condition: FilterCondition): readonly string[] {
  if (condition.op === "all" || condition.op === "any") return condition.conditions.flatMap(orderedAttributes);
  const attribute = attributeOf(condition);
  return attribute === null ? [] : [attribute];
}

/** Simplifies a condition: ranges of attributes that no row has are false. */
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
