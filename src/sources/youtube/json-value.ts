/** Unvalidated JSON. The functions below read values that may be missing from it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Parses JSON. Returns `null` for any other text. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** Returns the value at a path of keys; `null` if there is none. */
export function valueAt(value: Json, ...path: readonly (string | number)[]): Json {
  let current: Json = value;
  for (const key of path) {
    if (current === null || typeof current !== "object" || !Object.hasOwn(current, key)) return null;
    current = (current as { readonly [key: string | number]: Json })[key] ?? null;
  }
  return current;
}

/** Returns the non-empty string at a path of keys; `null` if there is none. */
export function textAt(value: Json, ...path: readonly (string | number)[]): string | null {
  const found = valueAt(value, ...path);
  return typeof found === "string" && found !== "" ? found : null;
}

/** Returns the array at a path of keys; empty if there is none. */
export function listAt(value: Json, ...path: readonly (string | number)[]): readonly Json[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Returns the number at a path of keys, which may be a string of digits; `null` if there is none. */
export function numberAt(value: Json, ...path: readonly (string | number)[]): number | null {
  const found = valueAt(value, ...path);
  if (typeof found === "number") return Number.isFinite(found) ? found : null;
  return typeof found === "string" && /^\d{1,15}$/.test(found) ? Number(found) : null;
}

/** Returns the text of the label at a path of keys, which may be split into runs; `null` if there is none. */
export function labelAt(value: Json, ...path: readonly (string | number)[]): string | null {
  const label = valueAt(value, ...path);
  const runs = listAt(label, "runs").map((run) => textAt(run, "text") ?? "");
  return textAt(label, "simpleText") ?? textAt(label, "content") ?? (runs.join("") || null);
}

/**
 * Yields the values of the given keys at any depth: an object's own ones before those nested in its other values. Doesn't
 * search the values that it yields.
 */
export function* findAll(value: Json, keys: ReadonlySet<string>): Generator<{ key: string; value: Json }> {
  const pending: Json[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === null || typeof next !== "object") continue;
    if (Array.isArray(next)) {
      for (const item of next.toReversed()) pending.push(item);
      continue;
    }
    const children: Json[] = [];
    for (const [key, child] of Object.entries(next as { readonly [key: string]: Json })) {
      if (keys.has(key)) yield { key, value: child };
      else children.push(child);
    }
    for (const child of children.reverse()) pending.push(child);
  }
}
