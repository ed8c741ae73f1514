import type { Metadata } from "../types.js";
import type { Answer, AnswerEvent } from "./answer.js";

/**
 * An answer in progress: `await` gives the whole answer, `for await` its events. Leaving the loop early cancels it.
 *
 * @example
 * const { text, citations } = await handbook.ask("When is the lamp lit?");
 * for await (const event of handbook.ask("When is the lamp lit?")) if (event.type === "text") console.log(event.text);
 */
export class AnswerRun<M = Metadata> implements PromiseLike<Answer<M>>, AsyncIterable<AnswerEvent<M>> {
  readonly #events: AnswerEvent<M>[] = [];
  readonly #result: Promise<Answer<M>>;
  readonly #abort = new AbortController();
  #isEnded = false;
  #wake: () => void = () => {};
  #next: Promise<void>;

  /** @internal */
  constructor(produce: (signal: AbortSignal) => AsyncGenerator<AnswerEvent<M>, Answer<M>>, signal?: AbortSignal) {
    this.#next = this.#nextEvent();
    const signals = signal ? [signal, this.#abort.signal] : [this.#abort.signal];
    this.#result = this.#collect(produce(AbortSignal.any(signals)));
    // A caller that only iterates gets the error from the iteration.
    this.#result.catch(() => {});
  }

  // biome-ignore lint/suspicious/noThenProperty: an answer can be awaited
  then<Value = Answer<M>, Failure = never>(
    onFulfilled?: ((answer: Answer<M>) => Value | PromiseLike<Value>) | null,
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    return this.#result.then(onFulfilled, onRejected);
  }

  /** The events from the start, also if it is called later. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerEvent<M>, void> {
    try {
      for (let index = 0; ; index++) {
        while (index >= this.#events.length && !this.#isEnded) await this.#next;
        const event = this.#events[index];
        if (event === undefined) break;
        yield event;
      }
      await this.#result;
    } finally {
      if (!this.#isEnded) this.#abort.abort();
    }
  }

  async #collect(steps: AsyncGenerator<AnswerEvent<M>, Answer<M>>): Promise<Answer<M>> {
    try {
      for (;;) {
        const { done, value } = await steps.next();
        if (done) return value;
        this.#events.push(value);
        this.#announce();
      }
    } finally {
      this.#isEnded = true;
      this.#announce();
    }
  }

  #announce(): void {
    const wake = this.#wake;
    this.#next = this.#nextEvent();
    wake();
  }

  #nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
