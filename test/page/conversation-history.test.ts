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

type Store = ConstructorParameters<typeof ConversationHistory>[0];
const newHistory = (
  store: Store,
  { page = "/h/a", visitorId = "ada" as string | null, isKeptByDefault = true } = {},
): ConversationHistory => new ConversationHistory(store, page, { visitorId, isKeptByDefault });

describe("the history of conversations", () => {
  it("is of one page, newest first, with each conversation once", () => {
    const store = newStore();
    const history = newHistory(store);
    history.save(conversation("1"));
    history.save(conversation("2"));
    history.save(conversation("1", "more"));
    expect(ids(history)).toEqual(["1", "2"]);
    expect(history.list()[0]!.messages).toEqual([question("more")]);
    expect(newHistory(store, { page: "/h/b" }).list()).toEqual([]);
    for (let index = 0; index < 100; index++) history.save(conversation(`n${index}`));
    expect(history.list()).toHaveLength(30);
  });

  it("keeps nothing unless the visitor or the page wants it", () => {
    const store = newStore();
    const history = newHistory(store, { isKeptByDefault: false });
    history.save(conversation("1"));
    expect([...store.values]).toEqual([]);
    history.setKept(true);
    history.save(conversation("2"));
    expect(ids(newHistory(store, { isKeptByDefault: false }))).toEqual(["2"]);
    history.setKept(false);
    history.save(conversation("3"));
    expect(history.isKept).toBe(false);
    expect(JSON.stringify([...store.values])).not.toMatch(/messages/);
  });

  it("is of one visitor, whose conversations another one neither sees nor replaces", () => {
    const store = newStore();
    const ada = newHistory(store, { isKeptByDefault: false });
    ada.setKept(true);
    ada.save(conversation("1"));
    const bob = newHistory(store, { visitorId: "bob", isKeptByDefault: false });
    expect([bob.list(), bob.isKept]).toEqual([[], false]);
    bob.setKept(true);
    bob.save(conversation("2"));
    expect(ids(ada)).toEqual(["1"]);
    bob.removeOthers();
    expect(ada.list()).toEqual([]);
    expect([...store.values]).toEqual([]);
    bob.setKept(true);
    bob.save(conversation("3"));
    // Of a tab that is still open.
    ada.save(conversation("4"));
    ada.clear();
    ada.setKept(false);
    expect([ids(bob), ada.isKept]).toEqual([["3"], false]);
    bob.removeOthers();
    expect(ids(bob)).toEqual(["3"]);
  });

  it("keeps nothing of a visitor who isn't known, and removes what others have kept", () => {
    const store = newStore();
    newHistory(store).save(conversation("1"));
    const history = newHistory(store, { visitorId: null });
    expect([history.list(), history.isKept]).toEqual([[], false]);
    history.removeOthers();
    history.setKept(true);
    history.save(conversation("2"));
    expect([...store.values]).toEqual([]);
  });

  it("forgets everything at the end of a session", () => {
    const store = newStore();
    const history = newHistory(store, { isKeptByDefault: false });
    history.setKept(true);
    history.save(conversation("1"));
    history.remove();
    expect([history.list(), history.isKept, [...store.values]]).toEqual([[], false, []]);
  });

  it("leaves out the oldest where there is no room, and works where there is none at all", () => {
    const small = newHistory(newStore(500));
    for (let index = 0; index < 20; index++) small.save(conversation(`n${index}`));
    expect(ids(small)[0]).toBe("n19");
    expect(ids(small).length).toBeLessThan(10);
    const fails = () => {
      throw new Error("SecurityError");
    };
    const blocked = newHistory({ getItem: fails, setItem: fails, removeItem: fails });
    blocked.save(conversation("1"));
    blocked.clear();
    blocked.remove();
    expect(blocked.list()).toEqual([]);
  });

  it("survives what it can't read", () => {
    const store = newStore();
    const history = newHistory(store);
    history.save(conversation("1"));
    for (const text of ["[{", "[]", "7", "{}"]) {
      for (const key of store.values.keys()) store.values.set(key, text);
      expect(history.list()).toEqual([]);
    }
  });
});
