import type { Route } from "./route.js";

export interface RouteMatch {
  /** `null` if no route has this method and path. */
  readonly found: { readonly route: Route; readonly params: Readonly<Record<string, string>> } | null;
  /** If no route has the method, the methods that the path supports; otherwise empty. */
  readonly allowedMethods: readonly string[];
}

/**
 * Finds routes by method and path. A segment `:name` in a route's path matches any single segment that isn't empty. If
 * paths of several routes match, those with the fewest such segments count: no record has the id `import` of a route.
 */
export class RouteMatcher {
  readonly #routes: readonly { readonly route: Route; readonly pattern: readonly string[] }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes
      .map((route) => ({ route, pattern: route.path.split("/") }))
      .sort((a, b) => countParameters(a.pattern) - countParameters(b.pattern));
  }

  /** Finds the route of a request. Treats HEAD as GET. */
  match(method: string, path: string): RouteMatch {
    const segments = path.split("/");
    const allowedMethods: string[] = [];
    let fewest = Number.POSITIVE_INFINITY;
    for (const { route, pattern } of this.#routes) {
      const params = matchSegments(pattern, segments);
      if (params === null) continue;
      const count = countParameters(pattern);
      if (count > fewest) break;
      fewest = count;
      if (route.method === (method === "HEAD" ? "GET" : method))
        return { found: { route, params }, allowedMethods: [] };
      allowedMethods.push(route.method);
    }
    return { found: null, allowedMethods };
  }
}

function countParameters(pattern: readonly string[]): number {
  return pattern.filter((segment) => segment.startsWith(":")).length;
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index]!;
    if (!expected.startsWith(":")) {
      if (segment !== expected) return null;
      continue;
    }
    const value = decodeSegment(segment);
    if (value === null || value === "") return null;
    params[expected.slice(1)] = value;
  }
  return params;
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A "%" without two hexadecimal digits after it, or bytes that are not UTF-8.
    return null;
  }
}
