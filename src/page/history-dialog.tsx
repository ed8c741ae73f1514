import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ConversationHistory, KeptConversation } from "./conversation-history.js";
import { Modal } from "./modal.js";

interface HistoryDialogProps {
  readonly history: ConversationHistory;
  readonly onOpen: (conversation: KeptConversation) => void;
  readonly onClose: () => void;
}

/** The conversations that this browser keeps, and whether it does. */
export function HistoryDialog({ history, onOpen, onClose }: HistoryDialogProps): VNode {
  const [isKept, setIsKept] = useState(history.isKept);
  const [conversations, setConversations] = useState(history.list());
  return (
    <Modal class="history" title="Recent conversations" onClose={onClose}>
      <div class="history-body">
        {conversations.length === 0 ? (
          <p class="nothing">{isKept ? "There are none yet." : "Conversations are not kept."}</p>
        ) : (
          <ol aria-label="Recent conversations">
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
                  <span class="place">{new Date(conversation.changedAt).toLocaleString()}</span>
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
          Keep conversations in this browser
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
          Clear all
        </button>
      </div>
    </Modal>
  );
}
