import type { Metadata } from "../types.js";
import type { Answer, AnswerEvent } from "./answer.js";

/**
 * An answer in progress: `await` gives the whole answer, `for await` its events. Leaving the loop early cancels the
 * answer.
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
  /** Resolves at the next event or at the end. */
  #nextChange: Promise<void>;

  /** @internal */
  constructor(produce: (signal: AbortSignal) => AsyncGenerator<AnswerEvent<M>, Answer<M>>, signal?: AbortSignal) {
    this.#nextChange = this.#createNextChange();
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

  /** Yields all events from the start, even if the iteration begins late. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerEvent<M>, void> {
    try {
      for (let index = 0; ; index++) {
        while (index >= this.#events.length && !this.#isEnded) await this.#nextChange;
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
        this.#notify();
      }
    } finally {
      this.#isEnded = true;
      this.#notify();
    }
  }

  #notify(): void {
    const wake = this.#wake;
    this.#nextChange = this.#createNextChange();
    wake();
  }

  #createNextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
