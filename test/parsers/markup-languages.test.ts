import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { sourceFile } from "../support/make-files.js";

const parse = (name: string, content: string) => parseDocument(sourceFile(name, content));
const shown = async (name: string, content: string) =>
  (await parse(name, content)).blocks.map(({ kind, text, level, marker, language }) =>
    [kind, text, level, marker ?? language].filter((part) => part !== undefined),
  );

test("reStructuredText", async () => {
  const rst = `=====
Guide
=====

:Author: Zoë

.. a comment
.. |prod| replace:: Lorebase
.. _site: https://example.com/x

The |prod| of \`\`code\`\`, *emph*, \`label <https://a.example>\`_, site_ and :func:\`f\` [1]_.

Part
----

1. one

   - nested
     goes on

Code follows::

    x = 1

.. code-block:: python

   y = 2

.. note:: Take care.

+---+-------+
| a | b     |
+===+=======+
| 1 | two   |
|   | lines |
+---+-------+

==  ==
A   B
==  ==
1   2
==  ==

.. [1] The note.

.. include:: other.rst
`;
  expect(await shown("a.rst", rst)).toEqual([
    ["heading", "Guide", 1],
    [
      "paragraph",
      "The Lorebase of `code`, emph, [label](https://a.example), [site](https://example.com/x) and `f` [^1].",
    ],
    ["heading", "Part", 2],
    ["list_item", "one", 1, "1."],
    ["list_item", "nested goes on", 2],
    ["paragraph", "Code follows:"],
    ["code", "x = 1"],
    ["code", "y = 2", "python"],
    ["paragraph", "Note:"],
    ["paragraph", "Take care."],
    ["table", "| a | b |\n| --- | --- |\n| 1 | two lines |"],
    ["table", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    ["note", "[^1]: The note."],
  ]);
  const { metadata, warnings } = await parse("a.rst", rst);
  expect(metadata).toEqual({ author: "Zoë" });
  expect(warnings).toEqual(['"other.rst" is included by the file and was not read.']);
});

test("a csv-table of reStructuredText may lack the header row that it announces", async () => {
  const rst = "Title\n=====\n\n.. csv-table:: Empty\n   :header-rows: 1\n\nText.\n";
  expect(await shown("a.rst", rst)).toEqual([
    ["heading", "Title", 1],
    ["caption", "Empty"],
    ["paragraph", "Text."],
  ]);
});

test("Org", async () => {
  const org = `#+TITLE: Guide
#+AUTHOR: Zoë
# a comment
The =code=, *bold*, and [[https://a.example][label]].
* TODO [#A] First :tag:
:PROPERTIES:
:ID: hidden
:END:
- item
  goes on
  - nested
- term :: meaning
| a | b |
|---+---|
| 1 | 2 |
#+BEGIN_SRC python
  x = 1
#+END_SRC
* COMMENT hidden
hidden too
* Last
`;
  expect(await shown("a.org", org)).toEqual([
    ["paragraph", "The `code`, bold, and [label](https://a.example)."],
    ["heading", "First", 1],
    ["list_item", "item goes on", 1],
    ["list_item", "nested", 2],
    ["list_item", "term: meaning", 1],
    ["table", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
    ["code", "x = 1", "python"],
    ["heading", "Last", 1],
  ]);
  expect(await parse("a.org", org)).toMatchObject({ title: "Guide", metadata: { author: "Zoë" } });
});

test("AsciiDoc", async () => {
  const adoc = `= Guide
Zoë Doe <zoe@example.com>
:prod: Lorebase

// a comment
The {prod} with *bold*, \`code\` and https://a.example[label].

== Part

. one
. two

Bullets:

* a
** b

Terms:

term::
other:: meaning

[source,python]
----
x = 1
----

WARNING: Hot.

////
hidden
////

.Sizes
[cols="1,2",options="header"]
|===
|H1 |H2

|a
|b

.2+|down |x
|y
|===

image::a.png[Alt text]
`;
  expect(await shown("a.adoc", adoc)).toEqual([
    ["heading", "Guide", 1],
    ["paragraph", "The Lorebase with bold, `code` and [label](https://a.example)."],
    ["heading", "Part", 2],
    ["list_item", "one", 1, "1."],
    ["list_item", "two", 1, "2."],
    ["paragraph", "Bullets:"],
    ["list_item", "a", 1],
    ["list_item", "b", 2],
    ["paragraph", "Terms:"],
    ["list_item", "term, other: meaning", 1],
    ["code", "x = 1", "python"],
    ["paragraph", "Warning: Hot."],
    ["caption", "Sizes"],
    ["table", "| H1 | H2 |\n| --- | --- |\n| a | b |\n| down | x |\n| down | y |"],
    ["image", "Alt text"],
  ]);
});

describe("AsciiDoc", () => {
  test.each([
    ["[format=csv]\n|===", 'name , note\n"a, b", "say ""x"""\n"two\nlines",\n|==='],
    [",===", 'name,note\n"a, b","say ""x"""\n\n"two\nlines",\n,==='],
    ["[format=csv,separator=;]\n|===", 'name;note\n"a, b";say "x"\ntwo lines;\n|==='],
    ["[format=tsv]\n|===", 'name\tnote\na, b\tsay "x"\ntwo lines\t\n|==='],
    ["[format=dsv]\n|===", 'name:note\na, b:say "x"\ntwo lines:\n|==='],
    [":===", 'name:note\na, b:say "x"\n\ntwo lines:\n:==='],
  ])("splits the cells of a table after %j at its separator", async (start, rows) => {
    const [[kind, text] = [], ...others] = await shown("a.adoc", `${start}\n${rows}\n`);
    expect([kind, String(text).replace(/two\s+lines/, "two lines"), others]).toEqual([
      "table",
      '| name | note |\n| --- | --- |\n| a, b | say "x" |\n| two lines |  |',
      [],
    ]);
  });

  test("an escaped separator is part of a cell of a DSV table", async () => {
    const table = "| time | note |\n| --- | --- |\n| 10:30 | a |";
    expect(await shown("a.adoc", "[format=dsv]\n|===\ntime:note\n10\\:30:a\n|===\n")).toEqual([["table", table]]);
  });

  test("nests a list by its marker, whatever its indent, until a block that is not attached", async () => {
    const adoc = `. one
* a
  * b
- c
. two
+
attached

  literal
+
more
. three

Apart.

* first
`;
    expect(await shown("a.adoc", adoc)).toEqual([
      ["list_item", "one", 1, "1."],
      ["list_item", "a", 2],
      ["list_item", "b", 2],
      ["list_item", "c", 3],
      ["list_item", "two", 1, "2."],
      ["paragraph", "attached"],
      ["code", "literal"],
      ["paragraph", "more"],
      ["list_item", "three", 1, "3."],
      ["paragraph", "Apart."],
      ["list_item", "first", 1],
    ]);
  });

  test("numbers lists from their start, and explains the callouts of code", async () => {
    const adoc = `[start=4]
. four
. five

----
run # <1>
stop <2>
----
<1> Begin
goes on.
<.> End.
`;
    expect(await shown("a.adoc", adoc)).toEqual([
      ["list_item", "four", 1, "4."],
      ["list_item", "five", 1, "5."],
      ["code", "run\nstop"],
      ["list_item", "Begin goes on.", 1, "1."],
      ["list_item", "End.", 1, "2."],
    ]);
  });

  test("keeps what a condition keeps", async () => {
    const adoc = `:known: yes

ifdef::known[]
Known.
ifndef::known[]
Hidden.
endif::[]
ifdef::other,known[]
Either.
endif::[]
endif::known[]
ifdef::other+known[]
Hidden, with ifdef::known[] within.
ifdef::known[]
Hidden.
endif::[]
endif::[]
ifdef::other[Hidden.]
ifndef::other[Short.]

:known!:

ifdef::known[Hidden.]
ifeval::["{a}" == "b"]
Not evaluated.
endif::[]
\\ifdef::shown[]
`;
    const texts = (await shown("a.adoc", adoc)).map(([, text]) => text);
    expect(texts).toEqual(["Known.\nEither.\nShort.", "Not evaluated.\nifdef::shown[]"]);
  });
});

test("LaTeX", async () => {
  const tex = `\\documentclass{article}
\\newcommand{\\foo}[1]{hidden #1}
\\title{On \\emph{Things}} \\author{Zo\\"e \\and Al}
\\begin{document}
\\section{First \\& last}\\label{sec:a}
Text \\textbf{bold}, na\\"{\\i}ve, $a^2$, 50\\% \\href{https://a.example}{label}. % a comment

\\begin{align} a &= b \\label{eq} \\end{align}
\\begin{enumerate}\\item one \\begin{itemize}\\item nested\\end{itemize}\\item two\\end{enumerate}
\\begin{table}\\caption{Sizes}\\begin{tabular}{|l|c|}\\hline
Name & Size \\\\ \\hline
\\multicolumn{2}{c}{wide} \\\\
a \\& b & 2 \\\\
\\end{tabular}\\end{table}
\\begin{lstlisting}[language=Python]
x = 1 # 100%
\\end{lstlisting}
\\input{other}
\\end{document}
hidden`;
  expect(await shown("a.tex", tex)).toEqual([
    ["heading", "On Things", 1],
    ["paragraph", "Zoë, Al"],
    ["heading", "First & last", 2],
    ["paragraph", "Text bold, naïve, $a^2$, 50% [label](https://a.example)."],
    ["formula", "$$\n\\begin{align} a &= b  \\end{align}\n$$"],
    ["list_item", "one", 1, "1."],
    ["list_item", "nested", 2],
    ["list_item", "two", 1, "2."],
    ["caption", "Sizes"],
    ["table", "| Name | Size |\n| --- | --- |\n| wide | wide |\n| a & b | 2 |"],
    ["code", "x = 1 # 100%", "python"],
  ]);
  expect((await parse("a.tex", tex)).warnings).toEqual(['"other" is included by the file and was not read.']);
});

describe("markup that never ends is read in time that grows with its size", () => {
  test.each([
    ["a.rst", "`a <"],
    ["a.rst", "a\n - b\n"],
    ["a.org", "[[a]["],
    ["a.org", "#+begin_quote\n"],
    ["a.adoc", "image:a["],
    ["a.adoc", "====\n=====\n"],
    ["a.adoc", "ifdef::a[]\n"],
    ["a.adoc", "a::\n"],
    ["a.adoc", ". a\n* b\n"],
    ["a.tex", "\\a["],
    ["a.tex", "\\begin{a}"],
    ["a.tex", "\\("],
    ["a.vtt", "<v a>"],
    ["a.eml", "\n--b"],
    ["a.csv", 'a,"'],
  ])("%s of %j", { timeout: 20_000 }, async (name, piece) => {
    const head =
      name === "a.vtt"
        ? "WEBVTT\n\n"
        : name === "a.eml"
          ? "From: a@b\nContent-Type: multipart/mixed; boundary=b\n"
          : "";
    const content = head + piece.repeat(300_000 / piece.length);
    // Reading it or refusing it are both fine.
    await parse(name, content).catch((error) => expect(error.code).toMatch(/^(?:invalid_input|limit_exceeded)$/));
  });
});

test.each([
  ["a.adoc", "See {constructor}.", "See {constructor}."],
  ["a.tex", "See \\toString.", "See ."],
  ["a.xml", "<a><b>See &constructor;.</b></a>", "b: See &constructor;."],
  ["a.fb2", "<FictionBook><body><section><p>See &toString;.</p></section></body></FictionBook>", "See &toString;."],
])("a name that every JavaScript object has is no known one: %s", async (name, content, text) => {
  expect((await shown(name, content)).map((block) => block[1])).toEqual([text]);
});
