import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { placeInAddress, useAddress } from "./address.js";
import { post } from "./api.js";
import { Chat } from "./chat.js";
import { useConversation } from "./conversation.js";
import { Header } from "./header.js";
import { lazy } from "./lazy.js";
import { config } from "./page-config.js";
import { Search } from "./search.js";
import { useShortcuts } from "./shortcuts.js";
import { Tabs, type View } from "./tabs.js";

const DocumentViewer = lazy(
  async () => (await import("./document-viewer.js")).DocumentViewer,
  () => null,
);
const ShortcutHelp = lazy(
  async () => (await import("./shortcut-help.js")).ShortcutHelp,
  () => null,
);

/** The page of a visitor who may use it. */
export function App({ initialQuery }: { readonly initialQuery: string }): VNode {
  const [view, setView] = useState<View>(config.searchEnabled && initialQuery !== "" ? "search" : "ask");
  const [query, setQuery] = useState(config.query ?? "");
  const [place, setPlace] = useState(placeInAddress);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [announcement, announce] = useState("");
  const question = useRef<HTMLTextAreaElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const conversation = useConversation((message) => announce(message.state === "done" ? "Answer ready" : ""));

  useEffect(() => {
    // Without search, the query in the address is a question.
    if (!config.searchEnabled && config.query !== null) conversation.ask(config.query);
    // On touch screens the keyboard would cover the page.
    else if (matchMedia("(pointer: fine)").matches) focusField(view);
  }, []);
  // Without search, the query is the question that was asked first.
  useAddress({ query: view === "search" || !config.searchEnabled ? query : "", place }, setPlace);
  useShortcuts({ focusField: () => focusField(view), showHelp: () => setIsHelpOpen(true) });

  function focusField(of: View): void {
    (of === "ask" ? question : search).current?.focus({ preventScroll: true });
  }

  function open(next: View): void {
    setView(next);
    requestAnimationFrame(() => focusField(next));
  }

  function ask(text: string): void {
    announce("Searching");
    conversation.ask(text);
    open("ask");
  }

  return (
    <>
      <Header
        onHelp={() => setIsHelpOpen(true)}
        {...(conversation.messages.length > 0 && view === "ask" && { onNewChat: conversation.clear })}
        {...(config.signedInAs !== null && { onSignOut: signOut })}
      >
        {config.searchEnabled && <Tabs view={view} onSelect={open} />}
      </Header>
      <Chat
        isHidden={view !== "ask"}
        conversation={conversation}
        field={question}
        onAsk={ask}
        onOpen={setPlace}
        announce={announce}
      />
      {config.searchEnabled && (
        <Search
          isHidden={view !== "search"}
          initialQuery={initialQuery}
          onSearch={setQuery}
          field={search}
          onAsk={ask}
          onOpen={setPlace}
          announce={announce}
        />
      )}
      {place && (
        <DocumentViewer
          key={`${place.documentId} ${place.range.start}`}
          place={place}
          onTitle={(title) => setPlace({ ...place, title })}
          onClose={() => setPlace(null)}
        />
      )}
      {isHelpOpen && <ShortcutHelp onClose={() => setIsHelpOpen(false)} />}
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
    </>
  );
}

async function signOut(): Promise<void> {
  await post("/sign-out", {});
  location.reload();
}
