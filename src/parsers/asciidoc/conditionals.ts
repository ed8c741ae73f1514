const DIRECTIVE_PATTERN = /^(ifdef|ifndef|ifeval|endif)::([^[\]\s]{0,500})\[(.*)\]\s*$/;
const ESCAPE_PATTERN = /^\\(?=(?:ifdef|ifndef|ifeval|endif|include)::)/;
const ATTRIBUTE_ENTRY_PATTERN = /^:(!?)([\w-]{1,100})(!?):(?:\s|$)/;
/** Attributes that AsciiDoc sets for every conversion to HTML. */
const PREDEFINED_ATTRIBUTES = ["asciidoctor", "backend-html5", "basebackend-html", "doctype-article"];

/**
 * Removes lines whose conditions are false. Conditions can refer to predefined attributes and to attributes defined on
 * earlier lines. `ifeval` expressions are not evaluated and count as true.
 */
export function applyConditionals(lines: readonly string[]): string[] {
  const defined = new Set(PREDEFINED_ATTRIBUTES);
  const kept: string[] = [];
  // Whether each open condition is true.
  const openConditions: boolean[] = [];
  let openFalseCount = 0;
  for (const line of lines) {
    const [, kind, names, content] = DIRECTIVE_PATTERN.exec(line) ?? [];
    if (kind === "endif") {
      if (openConditions.pop() === false) openFalseCount--;
    } else if (kind === undefined) {
      if (openFalseCount > 0) continue;
      const [, unsetBefore, name, unsetAfter] = ATTRIBUTE_ENTRY_PATTERN.exec(line) ?? [];
      if (name !== undefined) unsetBefore || unsetAfter ? defined.delete(name) : defined.add(name);
      kept.push(line.replace(ESCAPE_PATTERN, ""));
    } else {
      const isTrue = kind === "ifeval" || isDefined(names!, defined) === (kind === "ifdef");
      if (kind !== "ifeval" && content !== "") {
        if (isTrue && openFalseCount === 0) kept.push(content!);
      } else {
        openConditions.push(isTrue);
        if (!isTrue) openFalseCount++;
      }
    }
  }
  return kept;
}

/** Returns whether attributes are defined: `a,b` requires one of them, and `a+b` requires all of them. */
function isDefined(names: string, defined: ReadonlySet<string>): boolean {
  const all = names.split(/[,+]/);
  return names.includes("+") ? all.every((name) => defined.has(name)) : all.some((name) => defined.has(name));
}
