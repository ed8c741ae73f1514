import { type FilterCondition, joinConditions } from "../hosted/filter-condition.js";
import { numberField, stringField } from "./translate-filter.js";

/** The attributes that a condition compares with by their order: those that a namespace may never have had. */
export function orderedAttributes(condition: FilterCondition): readonly string[] {
  if (condition.op === "all" || condition.op === "any") return condition.conditions.flatMap(orderedAttributes);
  const attribute = attributeOf(condition);
  return attribute === null ? [] : [attribute];
}

/** A condition without attributes that no row has, which no value of theirs can meet. */
export function amongKnown(
  condition: FilterCondition,
  isKnown: (attribute: string) => boolean,
): FilterCondition | boolean {
  if (condition.op === "all" || condition.op === "any") {
    return joinConditions(
      condition.op,
      condition.conditions.map((part) => amongKnown(part, isKnown)),
    );
  }
  const attribute = attributeOf(condition);
  return attribute === null || isKnown(attribute) ? condition : false;
}

function attributeOf(condition: FilterCondition): string | null {
  if (condition.op === "number") return numberField(condition.key);
  return condition.op === "string" ? stringField(condition.key) : null;
}
