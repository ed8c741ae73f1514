import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { placeInAddress, useAddress } from "./address.js";
import { post } from "./api.js";
import { browserStore } from "./browser-store.js";
import { Chat } from "./chat.js";
import { type Conversation, useConversation } from "./conversation.js";
import { ConversationHistory } from "./conversation-history.js";
import { Header } from "./header.js";
import { lazy } from "./lazy.js";
import type { AssistantMessage } from "./message.js";
import { config } from "./page-config.js";
import { RequestError } from "./request-error.js";
import { Search } from "./search.js";
import { useShortcuts } from "./shortcuts.js";
import { strings } from "./strings.js";
import { Tabs, type View } from "./tabs.js";

const DocumentViewer = lazy(
  async () => (await import("./document-viewer.js")).DocumentViewer,
  () => null,
);
const HistoryDialog = lazy(
  async () => (await import("./history-dialog.js")).HistoryDialog,
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
  const [isHistoryOpen, setIsHistoryOpen] = useState(false);
  const [signOutProblem, setSignOutProblem] = useState("");
  const [announcement, announce] = useState("");
  const question = useRef<HTMLTextAreaElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const history = useMemo(openHistory, []);
  const conversation = useConversation(({ id, messages }) => {
    const answer = messages.at(-1) as AssistantMessage;
    announce(answer.state === "done" ? strings.answerReady : "");
    history.save({ id, changedAt: Date.now(), messages });
  });

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
    announce(strings.searching);
    conversation.ask(text);
    open("ask");
  }

  /** The next visitor of this browser may be another one. */
  async function signOut(): Promise<void> {
    conversation.stop();
    history.remove();
    try {
      await post("/sign-out", {});
    } catch (error) {
      setSignOutProblem(error instanceof RequestError ? error.message : strings.somethingWrong);
      return;
    }
    location.reload();
  }

  return (
    <>
      <Header
        onHelp={() => setIsHelpOpen(true)}
        {...(config.visitorId !== null && { onHistory: () => setIsHistoryOpen(true) })}
        {...(conversation.messages.length > 0 &&
          view === "ask" && {
            onNewChat: conversation.clear,
            ...(!conversation.isBusy && { onExport: () => void exportMarkdown(conversation) }),
          })}
        {...(config.signedInAs !== null && { onSignOut: () => void signOut() })}
      >
        {config.searchEnabled && <Tabs view={view} onSelect={open} />}
      </Header>
      {signOutProblem && (
        <p class="problem" role="alert">
          {signOutProblem} {strings.stillSignedIn}
        </p>
      )}
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
      {isHistoryOpen && (
        <HistoryDialog
          history={history}
          onOpen={(kept) => {
            conversation.open(kept);
            setView("ask");
          }}
          onClose={() => setIsHistoryOpen(false)}
        />
      )}
      {isHelpOpen && <ShortcutHelp onClose={() => setIsHelpOpen(false)} />}
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
    </>
  );
}

/** Conversations are kept on a protected page only if the visitor wants it. */
function openHistory(): ConversationHistory {
  const { base, visitorId, isProtected } = config;
  const history = new ConversationHistory(browserStore, base, { visitorId, isKeptByDefault: !isProtected });
  history.removeOthers();
  return history;
}

async function exportMarkdown({ messages }: Conversation): Promise<void> {
  const { downloadConversation } = await import("./download-conversation.js");
  downloadConversation(config.title, messages);
}
