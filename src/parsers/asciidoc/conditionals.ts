const DIRECTIVE = /^(ifdef|ifndef|ifeval|endif)::([^[\]\s]{0,500})\[(.*)\]\s*$/;
const ESCAPED = /^\\(?=(?:ifdef|ifndef|ifeval|endif|include)::)/;
const ATTRIBUTE_ENTRY = /^:(!?)([\w-]{1,100})(!?):(?:\s|$)/;
/** Attributes that are set in every conversion to HTML. */
const PREDEFINED = ["asciidoctor", "backend-html5", "basebackend-html", "doctype-article"];

/**
 * Drops the lines whose conditions are false. Conditions refer to predefined attributes and those defined on earlier
 * lines. Expressions of `ifeval` are not evaluated and count as true.
 */
export function applyConditionals(lines: readonly string[]): string[] {
  const defined = new Set(PREDEFINED);
  const kept: string[] = [];
  // Whether each open condition is true, and the number of false ones.
  const open: boolean[] = [];
  let falseCount = 0;
  for (const line of lines) {
    const [, kind, names, content] = DIRECTIVE.exec(line) ?? [];
    if (kind === "endif") {
      if (open.pop() === false) falseCount--;
    } else if (kind === undefined) {
      if (falseCount > 0) continue;
      const [, unsetBefore, name, unsetAfter] = ATTRIBUTE_ENTRY.exec(line) ?? [];
      if (name !== undefined) unsetBefore || unsetAfter ? defined.delete(name) : defined.add(name);
      kept.push(line.replace(ESCAPED, ""));
    } else {
      const isTrue = kind === "ifeval" || isDefined(names!, defined) === (kind === "ifdef");
      if (kind !== "ifeval" && content !== "") {
        if (isTrue && falseCount === 0) kept.push(content!);
      } else {
        open.push(isTrue);
        if (!isTrue) falseCount++;
      }
    }
  }
  return kept;
}

/** `a,b` requires one of the attributes, `a+b` all of them. */
function isDefined(names: string, defined: ReadonlySet<string>): boolean {
  const all = names.split(/[,+]/);
  return names.includes("+") ? all.every((name) => defined.has(name)) : all.some((name) => defined.has(name));
}
