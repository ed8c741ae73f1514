import type { RefObject, VNode } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { fill } from "../http/page/strings/fill.js";
import { belowHeadings, isPlainText } from "../http/ranged-text.js";
import type { WireCitation, WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import { type DocumentPlace, placeOfSource } from "./document-place.js";
import { ArrowIcon } from "./icons.js";
import { PassageText } from "./passage-text.js";
import { placeText, quotedRanges, type Source } from "./sources.js";
import { strings } from "./strings.js";

interface OpenCard {
  readonly anchor: HTMLButtonElement;
  readonly source: Source;
  readonly citations: readonly WireCitation[];
  /** Whether it stays open when the pointer leaves. */
  readonly isPinned: boolean;
}

/** In milliseconds: long enough to move the pointer from the marker to the card. */
const CLOSE_DELAY = 200;
const OPEN_DELAY = 120;
/** In pixels. */
const GAP = 8;

/** The card that shows a cited passage, and the markers that open it: by pointer, by focus or by a click. */
export function useCitationCard(onOpen: (place: DocumentPlace) => void) {
  const [open, setOpen] = useState<OpenCard | null>(null);
  const timer = useRef(0);
  const element = useRef<HTMLDivElement>(null);

  const later = useCallback((action: () => void, delay: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(action, delay);
  }, []);
  const closeUnlessPinned = useCallback(
    () => later(() => setOpen((card) => (card?.isPinned ? card : null)), CLOSE_DELAY),
    [later],
  );
  const markerFor = useCallback(
    (source: Source, citations: readonly WireCitation[]) => {
      const show = (anchor: HTMLButtonElement, isPinned: boolean) =>
        setOpen((card) => (card?.isPinned && !isPinned ? card : { anchor, source, citations, isPinned }));
      return (
        <span class="marker-place">
          <button
            type="button"
            class="marker"
            aria-label={fill(strings.sourceTitled, { number: String(source.number), title: source.title })}
            aria-haspopup="dialog"
            onMouseEnter={({ currentTarget }) => later(() => show(currentTarget, false), OPEN_DELAY)}
            onMouseLeave={closeUnlessPinned}
            // Not when it gets the focus back from what it has opened.
            onKeyUp={({ key, currentTarget }) => key === "Tab" && show(currentTarget, false)}
            onBlur={closeUnlessPinned}
            onClick={({ currentTarget }) => {
              clearTimeout(timer.current);
              show(currentTarget, true);
            }}
          >
            {source.number}
          </button>
        </span>
      );
    },
    [closeUnlessPinned, later],
  );
  useEffect(() => () => clearTimeout(timer.current), []);

  const close = (focusAnchor: boolean) => {
    clearTimeout(timer.current);
    if (focusAnchor) open?.anchor.focus();
    setOpen(null);
  };
  const card = open && (
    <CitationCard
      element={element}
      card={open}
      onEnter={() => clearTimeout(timer.current)}
      onLeave={closeUnlessPinned}
      onClose={close}
      onOpen={(place) => {
        close(true);
        onOpen(place);
      }}
    />
  );
  return { card, markerFor };
}

interface CitationCardProps {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly card: OpenCard;
  readonly onEnter: () => void;
  readonly onLeave: () => void;
  readonly onClose: (focusAnchor: boolean) => void;
  readonly onOpen: (place: DocumentPlace) => void;
}

function CitationCard({ element, card, onEnter, onLeave, onClose, onOpen }: CitationCardProps): VNode {
  const { anchor, source, citations, isPinned } = card;
  const { number, title, passage } = source;
  const place = placeText(citations[0]!);

  useLayoutEffect(() => {
    const { current } = element;
    current!.showPopover();
    moveBeside(current!, anchor);
    current!.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  }, [anchor]);
  useEffect(() => {
    if (isPinned) element.current!.querySelector("button")!.focus({ preventScroll: true });
  }, [isPinned, anchor]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      onClose(element.current!.contains(document.activeElement));
    };
    const onPointerDown = ({ target }: PointerEvent) => {
      const isOutside = target instanceof Node && !element.current!.contains(target) && !anchor.contains(target);
      if (isOutside) onClose(false);
    };
    const follow = () => {
      const { top, bottom } = anchor.getBoundingClientRect();
      if (bottom < 0 || top > innerHeight) onClose(false);
      else moveBeside(element.current!, anchor);
    };
    // Before the shortcuts of the page.
    document.addEventListener("keydown", onKeyDown, { capture: true });
    document.addEventListener("pointerdown", onPointerDown);
    addEventListener("scroll", follow, { passive: true });
    addEventListener("resize", follow);
    return () => {
      document.removeEventListener("keydown", onKeyDown, { capture: true });
      document.removeEventListener("pointerdown", onPointerDown);
      removeEventListener("scroll", follow);
      removeEventListener("resize", follow);
    };
  });

  return (
    <div
      ref={element}
      class="citation-card"
      popover="manual"
      role="dialog"
      aria-label={fill(strings.source, { number: String(number) })}
      onMouseEnter={onEnter}
      onMouseLeave={onLeave}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !element.current!.contains(relatedTarget)) onClose(false);
      }}
    >
      <p class="card-title" dir="auto">
        <span class="number">{number}</span> {title}
      </p>
      {place && (
        <p class="place" dir="auto">
          {place}
        </p>
      )}
      <div class="passage" tabIndex={0} role="region" aria-label={strings.passage}>
        <CitedPassage passage={passage} title={title} citations={citations} />
      </div>
      <button type="button" class="card-action" onClick={() => onOpen(placeOfSource(source, citations))}>
        {strings.openDocument} <ArrowIcon />
      </button>
    </div>
  );
}

interface CitedPassageProps {
  readonly passage: WirePassage | undefined;
  readonly title: string;
  readonly citations: readonly WireCitation[];
}

/** The passage with the quotes marked, or the quotes alone if they can't be found in it. */
function CitedPassage({ passage, title, citations }: CitedPassageProps): VNode {
  const { text = "", mediaType = "text/plain" } = passage ?? {};
  const whole = { text, ranges: quotedRanges(text, citations) };
  const body = isPlainText(mediaType) ? whole : belowHeadings(whole);
  const quotes = citations.map(({ quote }) => ({ text: quote, ranges: [{ start: 0, end: quote.length }] }));
  const shown = [body, whole].find(({ ranges }) => ranges.length > 0);
  return (
    <>
      {(shown ? [shown] : quotes).map((content, index) => (
        <PassageText key={index} {...{ content, mediaType, title }} heading="p" />
      ))}
    </>
  );
}

/** Below the marker, or above it where there is more room. The style sheet decides where screens are narrow. */
function moveBeside(card: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = card;
  const below = at.bottom + GAP;
  const isBelow = below + offsetHeight <= innerHeight || at.top < innerHeight / 2;
  const left = Math.min(
    Math.max(GAP, at.left - offsetWidth / 3),
    Math.max(GAP, document.body.clientWidth - offsetWidth - GAP),
  );
  card.style.left = `${left}px`;
  card.style.top = `${isBelow ? below : Math.max(GAP, at.top - GAP - offsetHeight)}px`;
}
