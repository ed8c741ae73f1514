import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../run-program.js";
import { anchorOf, type Block, type Layout, type PrintedDocument, textBeforeReference } from "./documents.js";
import type { Printer } from "./printer.js";
import { gridOf, type PrintedCell, type PrintedTable } from "./tables.js";

const PDFLATEX = "/usr/bin/pdflatex";

/** Prints with pdfLaTeX: hyphenation, ligatures, long tables, and form fields that have no appearance of their own. */
export const latex: Printer = {
  name: "latex",
  hasAllScripts: false,
  hasNotes: true,
  hasOutlines: true,
  isInstalled: () => existsSync(PDFLATEX),
  async print(documents, folder) {
    const work = await mkdtemp(join(tmpdir(), "lorebase-latex-"));
    try {
      for (const document of documents) {
        await writeFile(join(work, `${document.name}.tex`), toLatex(document));
        // A long table knows the widths of its columns after some runs.
        for (let run = 0; run < 3; run++)
          await runProgram(PDFLATEX, ["-interaction=batchmode", "-halt-on-error", `${document.name}.tex`], work);
        await copyFile(join(work, `${document.name}.pdf`), join(folder, `${document.name}.pdf`));
      }
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  },
};

function toLatex({ layout, header, blocks }: PrintedDocument): string {
  const { columns, isSerif, isJustified } = layout;
  return String.raw`\documentclass[10pt,a4paper${columns === 2 ? ",twocolumn" : ""}]{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern,longtable,array,booktabs,fancyhdr,geometry}
\usepackage[table]{xcolor}
\usepackage[hidelinks]{hyperref}
\geometry{margin=25mm}
${isSerif ? "" : String.raw`\renewcommand{\familydefault}{\sfdefault}`}
${isJustified ? "" : String.raw`\raggedright`}
\setlength{\parskip}{4pt}
% As \multirow does: the number of rows by which the text is raised, and the text.
\newcommand{\mergedcell}[2]{\smash{\raisebox{#1\normalbaselineskip}{#2}}}
\pagestyle{fancy}\fancyhf{}\fancyhead[L]{\footnotesize ${header}}\fancyfoot[C]{\footnotesize\thepage}
\begin{document}\thispagestyle{fancy}
${blocks.map((block) => blockToLatex(block, layout)).join("\n\n")}
\end{document}
`;
}

function blockToLatex(block: Block, layout: Layout): string {
  switch (block.kind) {
    case "heading":
      return headingToLatex(block, layout);
    case "contents":
      return block.entries.map(({ title, page }) => `\\noindent ${title}\\dotfill ${page}\\par`).join("\n");
    case "paragraph":
      if (block.reference !== null)
        return `${textBeforeReference(block).replace("→", "$\\rightarrow$")}\\hyperlink{${anchorOf(block.reference)}}{${block.reference}}`;
      return block.note ? `${block.text}\\footnote{${block.note.text}}` : block.text;
    case "list": {
      const environment = block.isOrdered ? "enumerate" : "itemize";
      const items = block.items.map((item) => `\\item ${item}`).join("\n");
      return `\\begin{${environment}}\n${items}\n\\end{${environment}}`;
    }
    case "table":
      return tableToLatex(block, layout);
    case "form": {
      const fields = block.fields.map(
        ({ label, value }) => `\\noindent\\TextField[name=${label},width=7cm,value={${value}}]{${label}:}\\par`,
      );
      return `\\begin{Form}\n${fields.join("\n")}\n\\end{Form}`;
    }
  }
}

function headingToLatex(
  { level, text }: Extract<Block, { kind: "heading" }>,
  { isDeep, hasOutline, headingSizes }: Layout,
): string {
  const anchor = anchorOf(text);
  const marked = `\\hypertarget{${anchor}}{${text}}`;
  // As usual with LaTeX, the title is not in the outline.
  const bookmark = hasOutline && level > 1 ? `\\pdfbookmark[${level - 2}]{${text}}{${anchor}}` : "";
  if (level === 1 && !isDeep) return `{\\LARGE\\bfseries ${marked}\\par}`;
  if (!isDeep) return `\\${level === 2 ? "section" : "subsection"}*{${bookmark}${marked}}`;
  const size = headingSizes[level - 1]!;
  return `\\bigskip\\noindent${bookmark}{\\fontsize{${size}}{${size * 1.2}}\\selectfont\\bfseries\\raggedright ${marked}\\par}\\nopagebreak\\smallskip`;
}

function tableToLatex({ caption, headerRows, groups }: PrintedTable, { table }: Layout): string {
  const columns = table === "ruled" ? "|l|r|r|l|" : "lrrl";
  const [top, middle, bottom] = {
    ruled: ["\\hline", "\\hline", ""],
    rows: ["\\toprule", "\\midrule", "\\bottomrule"],
    striped: ["", "", ""],
    plain: ["", "", ""],
  }[table];
  const header = rowsToLatex(headerRows, table, (text) => `\\textbf{${text}}`);
  let index = 0;
  const body = groups.map((rows) => {
    const lines = rowsToLatex(rows, table, (text) => text);
    return lines
      .map((line) => `${table === "striped" && index++ % 2 === 1 ? "\\rowcolor[gray]{0.9}" : ""}${line}`)
      .join("\n")
      .concat(table === "ruled" ? " \\hline" : "");
  });
  return `${caption === null ? "" : `{\\small ${caption}\\par}\n`}\\begin{longtable}{${columns}}
${top}
${header.join("\n")} ${middle}
\\endhead
${body.join("\n")}
${bottom}
\\end{longtable}`;
}

/** Returns the lines of rows that belong together. A merged cell is in its last row, so that no row is painted over it. */
function rowsToLatex(
  rows: readonly (readonly PrintedCell[])[],
  table: Layout["table"],
  format: (text: string) => string,
): string[] {
  const grid = gridOf(rows);
  return grid.map((places, y) => {
    const next = grid[y + 1];
    const isLast = (x: number): boolean => next?.[x]?.isFirstRow !== false;
    const cells = places.flatMap(({ cell, isFirstColumn }, x) => {
      if (!isFirstColumn) return [];
      const text = !isLast(x)
        ? ""
        : cell.rows > 1
          ? `\\mergedcell{${(cell.rows - 1) / 2}}{${format(cell.text)}}`
          : format(cell.text);
      return [cell.columns > 1 ? `\\multicolumn{${cell.columns}}{${table === "ruled" ? "c|" : "c"}}{${text}}` : text];
    });
    const ends = places.flatMap(({ cell }, x) => (isLast(x) && (table === "ruled" || cell.columns > 1) ? [x + 1] : []));
    const rule =
      table === "ruled" ? (x: number) => `\\cline{${x}-${x}}` : (x: number) => `\\cmidrule(lr){${x}-${x + 1}}`;
    const hasRules = next !== undefined && (table === "ruled" || table === "rows");
    const starts = table === "ruled" ? ends : ends.filter((x) => places[x - 1]!.isFirstColumn);
    return `${cells.join(" & ")} ${next === undefined ? "\\\\" : "\\\\*"}${hasRules ? ` ${starts.map(rule).join("")}` : ""}`;
  });
}
