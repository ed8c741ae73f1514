import { FairShare, type FairShareOptions } from "./fair-share.js";
import { RoundRobin } from "./round-robin.js";

export interface FairTurnsOptions extends FairShareOptions {
  /** Of one organization at one origin. */
  readonly perOrigin: number;
}

export interface Turn {
  readonly organizationId: string;
  /** As `URL.origin` gives it. */
  readonly origin: string;
}

interface Waiting extends Turn {
  go(): void;
}

/** Lets a limited number of calls outside go on at a time: organizations are served in turn, and an origin gets only a part of one's share. */
export class FairTurns {
  readonly #perOrigin: number;
  readonly #share: FairShare;
  readonly #atOrigins = new Map<string, number>();
  readonly #waiting = new RoundRobin<Waiting>();

  constructor({ perOrigin, ...share }: FairTurnsOptions) {
    this.#perOrigin = perOrigin;
    this.#share = new FairShare(share);
  }

  /** Whether somebody waits for a turn. */
  get areWanted(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** Waits for a turn and returns what gives it back, once. Rejects with the signal's reason when it is aborted before. */
  async take(turn: Turn, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.remove(turn.organizationId, waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        ...turn,
        go: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(turn.organizationId, waiting);
      this.#serve();
    });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#share.remove(turn.organizationId);
      this.#count(turn, -1);
      this.#serve();
    };
  }

  #serve(): void {
    const mayGo = (turn: Waiting) =>
      this.#share.hasRoom(turn.organizationId) && (this.#atOrigins.get(keyOf(turn)) ?? 0) < this.#perOrigin;
    for (let next = this.#waiting.next(mayGo); next !== undefined; next = this.#waiting.next(mayGo)) {
      this.#share.add(next.organizationId);
      this.#count(next, 1);
      next.go();
    }
  }

  #count(turn: Turn, change: number): void {
    const key = keyOf(turn);
    const count = (this.#atOrigins.get(key) ?? 0) + change;
    if (count > 0) this.#atOrigins.set(key, count);
    else this.#atOrigins.delete(key);
  }
}

function keyOf({ organizationId, origin }: Turn): string {
  return JSON.stringify([organizationId, origin]);
}
