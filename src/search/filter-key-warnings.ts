import type { EventBus } from "../events/event-bus.js";
import type { FilterNode } from "../filter.js";
import { requiresPresence } from "../filter.js";
import type { SearchScope } from "../storage/search-index.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions, EngineMetadata, Scope } from "../types.js";
import { suggestName } from "../validation/did-you-mean.js";
import { ENGINE_KEYS } from "../validation/metadata-schema.js";

/** Keys that the engine sets on some documents. */
const OPTIONAL_KEYS: readonly (keyof EngineMetadata)[] = [
  "filename",
  "headings",
  "url",
  "path",
  "tables",
  "youtube_timestamp",
];
const KNOWN_KEYS: readonly string[] = [...ENGINE_KEYS, ...OPTIONAL_KEYS];
/** Maximum size of the set of checked keys. The set is cleared when full, so a warning may be repeated. */
const MAX_CHECKED_KEYS = 10_000;

/** Warns about filter keys that no document of the scope has and that look like misspellings of known keys. */
export class FilterKeyWarnings {
  readonly #storage: Storage;
  readonly #events: EventBus;
  /** Pairs of scope and key that exist or have been warned about. */
  readonly #checked = new Set<string>();

  constructor(storage: Storage, events: EventBus) {
    this.#storage = storage;
    this.#events = events;
  }

  /**
   * Checks the filter's keys, but only if a missing key may have changed the result unnoticed: nothing was found, or
   * the filter also matches documents without the key.
   */
  async check(scope: SearchScope, filter: FilterNode, hitCount: number, call: CallOptions): Promise<void> {
    // What principals may not see must have no effect, not even on what is remembered as checked.
    if (scope.principals) return;
    if (hitCount > 0 && requiresPresence(filter)) return;
    const cacheKey = (key: string) => JSON.stringify([scope.namespaceId, scope.tenantId, key]);
    const keys = [...keysOf(filter)].filter((key) => !ENGINE_KEYS.includes(key) && !this.#checked.has(cacheKey(key)));
    if (keys.length === 0) return;
    const { missing, present } = await this.#storage.index.filterKeys({ scope, keys }, call);
    for (const key of keys) {
      if (!missing.includes(key)) this.#markChecked(cacheKey(key));
      else if (this.#warnIfMisspelled(scope, key, present)) this.#markChecked(cacheKey(key));
    }
  }

  /** Warns about a key that looks like a misspelled known key. Returns whether it does. */
  #warnIfMisspelled({ namespaceId, tenantId }: Scope, key: string, present: readonly string[]): boolean {
    const known = OPTIONAL_KEYS.some((optional) => optional === key) ? present : [...present, ...KNOWN_KEYS];
    const suggestion = suggestName(key, known);
    if (suggestion === undefined) return false;
    const scopeLabel = tenantId === null ? namespaceId : `${namespaceId}, tenant ${tenantId}`;
    // Data of the request follows the colon, because logs cut messages there.
    const message =
      "A call filters or orders by a metadata key for which no document has a filterable value: " +
      `${JSON.stringify(key)} in ${scopeLabel}. Did you mean ${JSON.stringify(suggestion)}?`;
    this.#events.emit({ type: "warning", message });
    return true;
  }

  #markChecked(key: string): void {
    if (this.#checked.size >= MAX_CHECKED_KEYS) this.#checked.clear();
    this.#checked.add(key);
  }
}

function keysOf(filter: FilterNode, keys = new Set<string>()): Set<string> {
  if (filter.op === "and" || filter.op === "or") for (const node of filter.nodes) keysOf(node, keys);
  else if (filter.op === "not") keysOf(filter.node, keys);
  else keys.add(filter.key);
  return keys;
}
