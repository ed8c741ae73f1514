/** A message of the AI SDK, as far as the tests read it. */
interface SdkMessage {
  readonly id: string;
  readonly role: string;
  readonly metadata?: unknown;
  readonly parts: readonly { readonly type: string; readonly text?: string; readonly [key: string]: unknown }[];
}

interface SdkChat {
  readonly messages: readonly SdkMessage[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message: { text: string }): Promise<void>;
  regenerate(): Promise<void>;
  stop(): Promise<void>;
}

interface ChatOptions {
  readonly api: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** What `useChat` is made of, the same in all three major versions. */
interface AiSdk {
  readonly AbstractChat: new (init: object) => SdkChat;
  readonly DefaultChatTransport: new (options: ChatOptions) => object;
}

export const AI_SDKS: Readonly<Record<string, () => Promise<unknown>>> = {
  "ai 5": () => import("ai5"),
  "ai 6": () => import("ai"),
  "ai 7": () => import("ai7"),
};

/** Loads a version; `null` if it doesn't run on this version of Node. */
export async function loadAiSdk(name: string): Promise<AiSdk | null> {
  try {
    return (await AI_SDKS[name]!()) as AiSdk;
  } catch (error) {
    console.warn(`${name} can't be loaded on Node ${process.version}: ${error}`);
    return null;
  }
}

/** The state that `useChat` keeps in React. */
class ChatState {
  status = "ready";
  error: Error | undefined = undefined;
  messages: SdkMessage[] = [];
  pushMessage = (message: SdkMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: SdkMessage) => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(value: T): T => structuredClone(value);
}

export interface OpenedChat {
  readonly chat: SdkChat;
  /** Transient data parts and all others, in order. */
  readonly data: readonly { readonly type: string }[];
}

/** A conversation over the transport that `useChat` has by default. */
export function openChat({ AbstractChat, DefaultChatTransport }: AiSdk, options: ChatOptions): OpenedChat {
  const data: { type: string }[] = [];
  const chat = new AbstractChat({
    state: new ChatState(),
    transport: new DefaultChatTransport(options),
    generateId: () => crypto.randomUUID(),
    onData: (part: { type: string }) => data.push(part),
  });
  return { chat, data };
}
