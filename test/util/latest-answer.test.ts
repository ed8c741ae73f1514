import { expect, it } from "vitest";
import { latestAnswer } from "#dist/util/latest-answer.js";

it("gives the latest answer while the next one is awaited, and asks once at a time", async () => {
  let asked = 0;
  let settle: { resolve(answer: string): void; reject(error: Error): void };
  const ask = () => {
    asked++;
    return new Promise<string>((resolve, reject) => {
      settle = { resolve, reject };
    });
  };
  const latest = latestAnswer(ask, { initial: "none", waitMs: 1 });
  expect(await Promise.all([latest(), latest()])).toEqual(["none", "none"]);
  expect(asked).toBe(1);
  settle!.resolve("first");
  expect(await latest()).toBe("first");
  expect(await latest()).toBe("first");
  expect(asked).toBe(2);
  const failing = latest();
  settle!.reject(new Error("lost"));
  await expect(failing).rejects.toThrow("lost");
});
