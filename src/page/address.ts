import { useEffect, useRef } from "preact/hooks";
import type { DocumentPlace } from "./document-place.js";
import { config } from "./page-config.js";

/** What the page shows besides the conversation. */
export interface Shown {
  readonly query: string;
  readonly place: DocumentPlace | null;
}

/** The place in a document that the address names, as in `?doc=doc_1&at=120-180`. */
export function placeInAddress(): DocumentPlace | null {
  const values = new URLSearchParams(location.search);
  const documentId = values.get("doc");
  if (!documentId) return null;
  const [start = 0, end = start] = (values.get("at") ?? "").split("-").map((part) => Number(part) || 0);
  return { documentId, title: history.state?.title ?? "", range: { start, end } };
}

/**
 * Keeps the address and the title of the window to what is shown. A document has an entry of its own in the history,
 * which is left when it is closed.
 *
 * @param onMove Called with the place of the entry to which the visitor has moved.
 */
export function useAddress(shown: Shown, onMove: (place: DocumentPlace | null) => void): void {
  const isLeaving = useRef(false);
  const { query, place } = shown;
  const write = () => {
    if (!isLeaving.current) isLeaving.current = writeAddress(shown);
  };
  useEffect(write, [query, place]);
  useEffect(() => {
    const onPopState = () => {
      if (!isLeaving.current) return onMove(placeInAddress());
      isLeaving.current = false;
      write();
    };
    addEventListener("popstate", onPopState);
    return () => removeEventListener("popstate", onPopState);
  });
}

/** Returns whether the entry of a document is left, after which there is something else to be written. */
function writeAddress({ query, place }: Shown): boolean {
  document.title = [place ? place.title : query, config.title].filter(Boolean).join(" · ");
  const hadPlace = placeInAddress() !== null;
  if (hadPlace && !place && history.state) {
    history.back();
    return true;
  }
  const values = new URLSearchParams(location.search);
  const set = (name: string, value = "") => (value === "" ? values.delete(name) : values.set(name, value));
  set("q", query);
  set("doc", place?.documentId);
  set("at", place ? `${place.range.start}-${place.range.end}` : "");
  const url = `${location.pathname}?${values}`.replace(/\?$/, "") + location.hash;
  // A frame has no address to be seen, and shares the history of the site around it.
  if (place && !hadPlace && parent === window) history.pushState({ title: place.title }, "", url);
  else history.replaceState(place && history.state, "", url);
  return false;
}
