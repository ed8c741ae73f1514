import { expect, it } from "vitest";
import { fetchedFileName } from "#dist/sources/file-name.js";

const asked = "https://a.example/files/asked.pdf";

it.each([
  // RFC 6266, section 5, and RFC 8187: the extended form comes first.
  ["attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates.txt", "€ rates.txt"],
  ["attachment; filename*=iso-8859-1'en'%A3%20rates.txt", "£ rates.txt"],
  ["inline; filename=plain.pdf", "plain.pdf"],
  [`attachment; filename="${Buffer.from("Übersicht.pdf").toString("latin1")}"`, "Übersicht.pdf"],
  ['attachment; filename="\xdcbersicht.pdf"', "Übersicht.pdf"],
  ['attachment; filename="../../etc/passwd"', "passwd"],
  ['attachment; filename="C:\\\\files\\\\a.pdf"', "a.pdf"],
  ['attachment; filename="exe\u202efdp.pdf"', "exefdp.pdf"],
  ['attachment; filename=".."', "asked.pdf"],
  ["attachment", "asked.pdf"],
  ["attachment; filename*=UTF-8''%zz", "asked.pdf"],
  [null, "asked.pdf"],
])("is read from %s", (header, name) => {
  expect(fetchedFileName(header, asked)).toBe(name);
});

it.each([
  [["https://a.example/r?id=1", "https://b.example/deep/l%C3%A4mp.pdf?sig=x"], "lämp.pdf"],
  [["https://a.example/lamp.pdf", "https://b.example/4f1c"], "lamp.pdf"],
  [["https://a.example/lamp", "https://b.example/4f1c"], "lamp"],
  [["https://a.example/100%", "https://a.example/100%"], "100%"],
  [["https://a.example/", "https://a.example/"], null],
  [["https://a.example/a%2F..%2Fb.pdf"], "b.pdf"],
])("else comes from %j", (addresses, name) => {
  expect(fetchedFileName(null, ...addresses)).toBe(name);
});

it("is shortened to 255 bytes, and keeps its extension", () => {
  const name = fetchedFileName(`attachment; filename="${"x".repeat(400)}.pdf"`, asked)!;
  expect([Buffer.byteLength(name), name.slice(-5)]).toEqual([255, "x.pdf"]);
});
