"use client";

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import type { WireCitation, WirePassage } from "lorebase/http";
import { useState } from "react";

type ChatMessage = UIMessage<
  { isAnswered?: boolean },
  {
    passages: { passages: WirePassage[] };
    citation: WireCitation;
    suggestions: { questions: string[] };
  }
>;

const transport = new DefaultChatTransport<ChatMessage>({
  api: "/kb/h/handbook/chat",
  // The server needs the texts only: without this, the passages of all answers would be sent back with each question.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
    body: {
      ...{ id, trigger, messageId },
      messages: messages.map(({ role, parts }) => ({ role, parts: parts.filter(({ type }) => type === "text") })),
    },
  }),
});

export default function Page() {
  const [question, setQuestion] = useState("");
  const chat = useChat<ChatMessage>({ transport });
  const ask = (text: string) => {
    setQuestion("");
    void chat.sendMessage({ text });
  };
  return (
    <main>
      {chat.messages.map((message) => (
        <Message key={message.id} message={message} onAsk={ask} />
      ))}
      <p role="status">{chat.error ? "Something went wrong." : chat.status === "submitted" && "Searching…"}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask(question);
        }}
      >
        <input aria-label="Question" value={question} onChange={({ target }) => setQuestion(target.value)} />
        {chat.status === "submitted" || chat.status === "streaming" ? (
          <button type="button" onClick={chat.stop}>
            Stop
          </button>
        ) : (
          <button type="submit">Ask</button>
        )}
      </form>
    </main>
  );
}

function Message({ message, onAsk }: { message: ChatMessage; onAsk: (question: string) => void }) {
  const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const citations = message.parts.flatMap((part) => (part.type === "data-citation" ? [part.data] : []));
  const questions = message.parts.flatMap((part) => (part.type === "data-suggestions" ? part.data.questions : []));
  return (
    <article>
      <p style={{ whiteSpace: "pre-wrap" }}>{withMarkers(text, citations)}</p>
      {questions.map((question) => (
        <button key={question} type="button" onClick={() => onAsk(question)}>
          {question}
        </button>
      ))}
    </article>
  );
}

/** The text with each marker `[n]` as a reference that shows its quote. */
function withMarkers(text: string, citations: readonly WireCitation[]) {
  const markers = new Map(citations.map((citation) => [citation.markerRange.start, citation]));
  const parts = [];
  let end = 0;
  for (const [start, { markerRange, number, title, page, quote }] of markers) {
    const place = page === undefined ? title : `${title}, page ${page}`;
    parts.push(
      text.slice(end, start),
      <abbr key={start} title={`${place}: ${quote}`}>
        [{number}]
      </abbr>,
    );
    end = markerRange.end;
  }
  return [...parts, text.slice(end)];
}
