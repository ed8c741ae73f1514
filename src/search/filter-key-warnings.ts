import type { EventBus } from "../events/event-bus.js";
import type { FilterNode } from "../filter.js";
import { asksForPresence } from "../storage/asks-for-presence.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions, EngineMetadata, Scope } from "../types.js";
import { suggestName } from "../validation/did-you-mean.js";
import { ENGINE_KEYS } from "../validation/schemas.js";

/** Keys that the engine gives to some documents. */
const OPTIONAL_KEYS: readonly (keyof EngineMetadata)[] = ["filename", "headings", "url", "path", "youtube_timestamp"];
const KNOWN_KEYS: readonly string[] = [...ENGINE_KEYS, ...OPTIONAL_KEYS];
/** Pairs of scope and key that are remembered; beyond it all are forgotten, and a warning may come again. */
const MOST_REMEMBERED = 10_000;

/** Warns of filters on keys that nothing in a scope has, where they look like a misspelling of one that is known. */
export class FilterKeyWarnings {
  readonly #storage: Storage;
  readonly #events: EventBus;
  /** Scopes and keys that were found to exist, or were warned of. */
  readonly #settled = new Set<string>();

  constructor(storage: Storage, events: EventBus) {
    this.#storage = storage;
    this.#events = events;
  }

  /**
   * Looks only where a missing key can have made a difference unnoticed: where nothing was found, or where the filter also lets through what
   * lacks a key.
   * @param found How many hits the search has.
   */
  async check(scope: Scope, filter: FilterNode, found: number, call: CallOptions): Promise<void> {
    if (found > 0 && asksForPresence(filter)) return;
    const nameOf = (key: string) => JSON.stringify([scope.namespaceId, scope.tenantId, key]);
    const keys = [...keysOf(filter)].filter((key) => !ENGINE_KEYS.includes(key) && !this.#settled.has(nameOf(key)));
    if (keys.length === 0) return;
    const { missing, present } = await this.#storage.index.filterKeys({ scope, keys }, call);
    for (const key of keys) {
      if (!missing.includes(key)) this.#settle(nameOf(key));
      else if (this.#warn(scope, key, present)) this.#settle(nameOf(key));
    }
  }

  /** Returns whether there was something to say. */
  #warn({ namespaceId, tenantId }: Scope, key: string, present: readonly string[]): boolean {
    const known = OPTIONAL_KEYS.some((optional) => optional === key) ? present : [...present, ...KNOWN_KEYS];
    const near = suggestName(key, known);
    if (near === undefined) return false;
    const where = tenantId === null ? namespaceId : `${namespaceId}, tenant ${tenantId}`;
    // Whatever a request holds stands after the colon: logs leave that out.
    const message =
      "A search filters by a metadata key of which no document has a value that filters can compare: " +
      `${JSON.stringify(key)} in ${where}. Did you mean ${JSON.stringify(near)}?`;
    this.#events.emit({ type: "warning", message });
    return true;
  }

  #settle(name: string): void {
    if (this.#settled.size >= MOST_REMEMBERED) this.#settled.clear();
    this.#settled.add(name);
  }
}

function keysOf(filter: FilterNode, keys = new Set<string>()): Set<string> {
  if (filter.op === "and" || filter.op === "or") for (const node of filter.nodes) keysOf(node, keys);
  else if (filter.op === "not") keysOf(filter.node, keys);
  else keys.add(filter.key);
  return keys;
}
