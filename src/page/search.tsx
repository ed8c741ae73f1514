import type { RefObject, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import { MAX_QUERY_LENGTH } from "../validation/query-length.js";
import { search } from "./api.js";
import { type DocumentPlace, placeOfPassage } from "./document-place.js";
import { Examples } from "./examples.js";
import { FilledText } from "./filled-text.js";
import { ArrowIcon, RetryIcon, SearchIcon } from "./icons.js";
import { config } from "./page-config.js";
import { PassageList } from "./passage-list.js";
import { RequestError } from "./request-error.js";
import { strings, withCount } from "./strings.js";

interface SearchProps {
  readonly isHidden: boolean;
  readonly initialQuery: string;
  readonly field: RefObject<HTMLInputElement | null>;
  /** Called with each query that is searched for, and with an empty one when the field is cleared. */
  readonly onSearch: (query: string) => void;
  readonly onAsk: (question: string) => void;
  readonly onOpen: (place: DocumentPlace) => void;
  readonly announce: (text: string) => void;
}

/** What the last search found; the results of the one before stay until then. */
interface Results {
  readonly query: string;
  readonly passages: readonly WirePassage[];
}

/** In milliseconds after the last key. */
const DEBOUNCE = 120;

/** Search as you type. */
export function Search(props: SearchProps): VNode {
  const { isHidden, initialQuery, field, onSearch, onAsk, onOpen, announce } = props;
  const [text, setText] = useState(initialQuery);
  const [attempt, setAttempt] = useState(0);
  const { results, isSearching, problem } = useSearch(text.trim(), attempt, onSearch, announce);
  const section = useRef<HTMLElement>(null);
  const query = text.trim();

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape" && query !== "") {
      event.preventDefault();
      setText("");
      field.current!.focus();
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const stops = [field.current!, ...section.current!.querySelectorAll<HTMLElement>(".results button")];
    const next = stops[stops.indexOf(document.activeElement as HTMLElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  return (
    <section
      id="view-search"
      ref={section}
      class={query === "" ? "search empty" : "search"}
      hidden={isHidden}
      role="tabpanel"
      aria-labelledby="tab-search"
      onKeyDown={onKeyDown}
    >
      <form
        role="search"
        class="search-field"
        onSubmit={(event) => {
          event.preventDefault();
          setAttempt(attempt + 1);
        }}
      >
        <SearchIcon />
        <input
          ref={field}
          type="search"
          name="q"
          dir="auto"
          autocomplete="off"
          maxLength={MAX_QUERY_LENGTH}
          placeholder={strings.searchDocuments}
          aria-label={strings.searchDocuments}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        {isSearching && <span class="spinner" aria-hidden="true" />}
      </form>
      {query === "" ? (
        <Examples label={strings.examples} texts={config.exampleSearchQueries} onSelect={setText} />
      ) : (
        <div class="results" aria-busy={isSearching}>
          <button type="button" class="ask-instead" onClick={() => onAsk(query)}>
            <span>
              <FilledText text={strings.askInstead} values={{ query }} />
            </span>
            <ArrowIcon />
          </button>
          {problem && (
            <>
              <p class="problem" role="alert">
                {problem.message}
              </p>
              {problem.canRetry && (
                <button type="button" class="retry" onClick={() => setAttempt(attempt + 1)}>
                  <RetryIcon /> {strings.tryAgain}
                </button>
              )}
            </>
          )}
          {!problem && !results && <Skeleton />}
          {!problem && results?.passages.length === 0 && (
            <p class="nothing">
              <FilledText text={strings.nothingFoundFor} values={{ query: results.query }} />
            </p>
          )}
          {!problem && results && results.passages.length > 0 && (
            <PassageList
              label={strings.results}
              passages={results.passages}
              onOpen={(passage) => onOpen(placeOfPassage(passage))}
            />
          )}
        </div>
      )}
    </section>
  );
}

function Skeleton(): VNode {
  return (
    <div class="skeleton" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}

interface SearchState {
  readonly results: Results | null;
  readonly isSearching: boolean;
  readonly problem: RequestError | null;
}

/** Searches shortly after the last change, and aborts what was searched before. */
function useSearch(
  query: string,
  attempt: number,
  onSearch: (query: string) => void,
  announce: (text: string) => void,
): SearchState {
  const [state, setState] = useState<SearchState>({ results: null, isSearching: query !== "", problem: null });
  useEffect(() => {
    if (query === "") {
      setState({ results: null, isSearching: false, problem: null });
      onSearch("");
      return;
    }
    const controller = new AbortController();
    const run = async () => {
      setState((before) => ({ ...before, isSearching: true }));
      onSearch(query);
      try {
        const passages = await search(query, controller.signal);
        if (controller.signal.aborted) return;
        setState({ results: { query, passages }, isSearching: false, problem: null });
        announce(withCount(strings.resultCount, passages.length));
      } catch (error) {
        if (controller.signal.aborted) return;
        const problem = error instanceof RequestError ? error : new RequestError(strings.somethingWrong);
        setState({ results: null, isSearching: false, problem });
      }
    };
    const timer = setTimeout(run, DEBOUNCE);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, attempt]);
  return state;
}
