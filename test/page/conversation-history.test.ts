import { describe, expect, it } from "vitest";
import { ConversationHistory } from "../../src/page/conversation-history.js";
import type { Message } from "../../src/page/message.js";

/** A store that throws once it has more characters than there is room for. */
function newStore(room = Number.POSITIVE_INFINITY) {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    removeItem: (key: string) => void values.delete(key),
    setItem(key: string, value: string) {
      if (value.length > room) throw new Error("QuotaExceededError");
      values.set(key, value);
    },
  };
}

const question = (text: string): Message => ({ id: "m1", role: "user", text });
const conversation = (id: string, text = id) => ({ id, changedAt: 1, messages: [question(text)] });
const ids = (history: ConversationHistory) => history.list().map(({ id }) => id);

describe("the history of conversations", () => {
  it("is of one page, newest first, with each conversation once", () => {
    const store = newStore();
    const history = new ConversationHistory(store, "/h/a", true);
    history.save(conversation("1"));
    history.save(conversation("2"));
    history.save(conversation("1", "more"));
    expect(ids(history)).toEqual(["1", "2"]);
    expect(history.list()[0]!.messages).toEqual([question("more")]);
    expect(new ConversationHistory(store, "/h/b", true).list()).toEqual([]);
    for (let index = 0; index < 100; index++) history.save(conversation(`n${index}`));
    expect(history.list()).toHaveLength(30);
  });

  it("keeps nothing unless the visitor or the page wants it", () => {
    const store = newStore();
    const history = new ConversationHistory(store, "/h/a", false);
    history.save(conversation("1"));
    expect([...store.values]).toEqual([]);
    history.setKept(true);
    history.save(conversation("2"));
    expect(ids(new ConversationHistory(store, "/h/a", false))).toEqual(["2"]);
    history.setKept(false);
    history.save(conversation("3"));
    expect(history.isKept).toBe(false);
    expect(JSON.stringify([...store.values])).not.toMatch(/messages/);
  });

  it("leaves out the oldest where there is no room, and works where there is none at all", () => {
    const small = new ConversationHistory(newStore(500), "/h/a", true);
    for (let index = 0; index < 20; index++) small.save(conversation(`n${index}`));
    expect(ids(small)[0]).toBe("n19");
    expect(ids(small).length).toBeLessThan(10);
    const fails = () => {
      throw new Error("SecurityError");
    };
    const blocked = new ConversationHistory({ getItem: fails, setItem: fails, removeItem: fails }, "/h/a", true);
    blocked.save(conversation("1"));
    blocked.clear();
    expect(blocked.list()).toEqual([]);
  });

  it("survives what it can't read", () => {
    const store = newStore();
    const history = new ConversationHistory(store, "/h/a", true);
    history.save(conversation("1"));
    for (const key of store.values.keys()) store.values.set(key, "[{");
    expect(history.list()).toEqual([]);
  });
});
