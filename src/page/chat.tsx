import type { RefObject, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Composer } from "./composer.js";
import type { Conversation } from "./conversation.js";
import type { DocumentPlace } from "./document-place.js";
import { Examples } from "./examples.js";
import { lazy } from "./lazy.js";
import type { Message } from "./message.js";
import { config } from "./page-config.js";
import { QuestionView } from "./question-view.js";
import { strings } from "./strings.js";

const AnswerView = lazy(
  async () => (await import("./answer-view.js")).AnswerView,
  () => <p class="progress">{strings.searching}</p>,
);

interface ChatProps {
  readonly isHidden: boolean;
  readonly conversation: Conversation;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onAsk: (question: string) => void;
  readonly onOpen: (place: DocumentPlace) => void;
  readonly announce: (text: string) => void;
}

export function Chat({ isHidden, conversation, field, onAsk, onOpen, announce }: ChatProps): VNode {
  const { messages, isBusy } = conversation;
  const isEmpty = messages.length === 0;
  const list = useRef<HTMLOListElement>(null);
  useNewestAtTop(list, messages);
  return (
    <section
      id="view-ask"
      class={isEmpty ? "chat empty" : "chat"}
      hidden={isHidden}
      {...(config.searchEnabled ? { role: "tabpanel", "aria-labelledby": "tab-ask" } : { "aria-label": strings.ask })}
    >
      {isEmpty ? (
        <Welcome />
      ) : (
        <ol class="messages" ref={list}>
          {messages.map((message, index) => (
            <li key={message.id}>
              {message.role === "user" ? (
                <QuestionView text={message.text} onEdit={(text) => conversation.edit(message.id, text)} />
              ) : (
                <AnswerView
                  message={message}
                  question={messages[index - 1]!.text}
                  isLast={index === messages.length - 1}
                  onAsk={onAsk}
                  onOpen={onOpen}
                  onRegenerate={conversation.regenerate}
                  announce={announce}
                />
              )}
            </li>
          ))}
        </ol>
      )}
      <div class="composer-place">
        <Composer field={field} isBusy={isBusy} onSend={onAsk} onStop={conversation.stop} />
        {isEmpty && <Examples label={strings.examples} texts={config.exampleQuestions} onSelect={onAsk} />}
        <p class="note">{config.hasLanguageModel ? strings.writtenByModel : strings.quoted}</p>
      </div>
    </section>
  );
}

function Welcome(): VNode {
  return (
    <p class="welcome" dir="auto">
      {config.welcomeMessage ?? strings.welcome}
    </p>
  );
}

/** Brings a new question to the top of the page, so that its answer is read from its beginning. */
function useNewestAtTop(list: RefObject<HTMLOListElement | null>, messages: readonly Message[]): void {
  const id = messages.findLast(({ role }) => role === "user")?.id;
  useEffect(() => {
    const questions = list.current?.querySelectorAll(".question");
    questions?.[questions.length - 1]?.scrollIntoView({ block: "start" });
  }, [id]);
}
