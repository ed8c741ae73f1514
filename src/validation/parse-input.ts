import { type InputIssue, KnowledgeBaseError } from "../errors.js";
import { preview } from "../util/preview.js";
import { z } from "../vendor/zod.js";
import { suggestName } from "./did-you-mean.js";

const MAX_NAMED_ISSUES = 10;

/**
 * Validates an input and fills in defaults.
 * @param basePath The path of the input within the caller's argument.
 * @throws KnowledgeBaseError `invalid_input` whose `issues` name each invalid field, its value and the rule, and whose
 * message the first ten
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  basePath: readonly PropertyKey[] = [],
): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap(toBranchIssues).map((issue) => toInputIssue(issue, schema, basePath));
  const named = issues.slice(0, MAX_NAMED_ISSUES).map(({ field, message }) => `${field}: ${message}`);
  if (issues.length > named.length) named.push(`${issues.length - named.length} more`);
  throw new KnowledgeBaseError("invalid_input", named.join("; "), { issues });
}

/** Returns the issues of the first alternative of a union whose type is right, or the issue itself if there is none. */
function toBranchIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const branch = issue.errors.find((issues) =>
    issues.some(({ code, path }) => code === "unrecognized_keys" || path.length > 0),
  );
  return branch ? branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) : [issue];
}

/** Returns the object schema at a path, or `null` if there is none or more than one. */
function findObjectSchema(schema: unknown, path: readonly PropertyKey[]): z.ZodObject | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return findObjectSchema(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodUnion) {
    const objects = schema.options.flatMap((option) => findObjectSchema(option, path) ?? []);
    return objects.length === 1 ? objects[0]! : null;
  }
  const [step, ...rest] = path;
  if (schema instanceof z.ZodArray && step !== undefined) return findObjectSchema(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return null;
  return step === undefined ? schema : findObjectSchema(schema.shape[String(step)], rest);
}

function toInputIssue(issue: z.core.$ZodIssue, schema: z.ZodType, basePath: readonly PropertyKey[]): InputIssue {
  const field = [...basePath, ...issue.path].reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : path ? `${path}.${String(step)}` : String(step)),
    "",
  );
  const showsValue =
    issue.input !== undefined &&
    issue.code !== "custom" &&
    issue.code !== "unrecognized_keys" &&
    !/key|secret|header|managed/i.test(field);
  // For an object with an unknown discriminator, shows the discriminator alone: the rest may contain secrets.
  const value =
    "discriminator" in issue ? (issue.input as Record<string, unknown>)[issue.path.at(-1) as string] : issue.input;
  const object = issue.code === "unrecognized_keys" ? findObjectSchema(schema, issue.path) : null;
  const message =
    object && issue.code === "unrecognized_keys"
      ? describeUnknownKeys(issue.keys, Object.keys(object.shape))
      : issue.message;
  return {
    field: field || "input",
    message: showsValue ? `${message}, got ${preview(value)}` : message,
  };
}

/** Describes unknown keys, with suggestions. */
export function describeUnknownKeys(keys: readonly string[], known: readonly string[]): string {
  return keys
    .map((key) => {
      const suggestion = suggestName(key, known);
      return `unknown key ${JSON.stringify(key)}${suggestion ? `; did you mean ${JSON.stringify(suggestion)}?` : `; known: ${known.join(", ")}`}`;
    })
    .join("; ");
}
