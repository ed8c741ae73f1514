import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ConversationHistory, KeptConversation } from "./conversation-history.js";
import { Modal } from "./modal.js";
import { locale, strings } from "./strings.js";

interface HistoryDialogProps {
  readonly history: ConversationHistory;
  readonly onOpen: (conversation: KeptConversation) => void;
  readonly onClose: () => void;
}

const dates = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/** The conversations that this browser keeps, and whether it does. */
export function HistoryDialog({ history, onOpen, onClose }: HistoryDialogProps): VNode {
  const [isKept, setIsKept] = useState(history.isKept);
  const [conversations, setConversations] = useState(history.list());
  return (
    <Modal class="history" title={strings.recentConversations} onClose={onClose}>
      <div class="history-body">
        {conversations.length === 0 ? (
          <p class="nothing">{isKept ? strings.noConversations : strings.notKept}</p>
        ) : (
          <ol aria-label={strings.recentConversations}>
            {conversations.map((conversation) => (
              <li key={conversation.id}>
                <button
                  type="button"
                  class="passage-button"
                  onClick={() => {
                    onOpen(conversation);
                    onClose();
                  }}
                >
                  <span class="source-title" dir="auto">
                    {conversation.messages[0]?.text}
                  </span>
                  <span class="place">{dates.format(conversation.changedAt)}</span>
                </button>
              </li>
            ))}
          </ol>
        )}
      </div>
      <div class="history-settings">
        <label>
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ currentTarget }) => {
              history.setKept(currentTarget.checked);
              setIsKept(currentTarget.checked);
              setConversations(history.list());
            }}
          />
          {strings.keepConversations}
        </label>
        <button
          type="button"
          class="button"
          disabled={conversations.length === 0}
          onClick={() => {
            history.clear();
            setConversations([]);
          }}
        >
          {strings.clearAll}
        </button>
      </div>
    </Modal>
  );
}
