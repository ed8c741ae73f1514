import type { PDFPageProxy } from "pdfjs-dist";

export interface TaggedHeading {
  readonly level: number;
  /** Identifies the heading on its page. */
  readonly elementId: number;
}

/** The structure of a page in a tagged document. */
export interface PageTags {
  /** Headings by the ids of their content. */
  readonly headings: ReadonlyMap<string, TaggedHeading>;
  /** For each table its rows, for each row its cells. */
  readonly tables: readonly (readonly (readonly TaggedCell[])[])[];
}

export interface TaggedCell {
  readonly contentIds: readonly string[];
  readonly isHeader: boolean;
  /** How many rows and columns the cell spans. */
  readonly rows: number;
  readonly columns: number;
}

/** A cell that spans more rows or columns is damaged. */
const MAX_SPAN = 200;

export const NO_TAGS: PageTags = { headings: new Map(), tables: [] };

interface Leaf {
  readonly type: string;
  readonly id: string;
}

interface Tree {
  readonly role: string;
  /** How many rows and columns a cell spans, as the file says: a patch of the worker adds it (`worker-patches.ts`). */
  readonly span?: readonly [rows: number, columns: number];
  readonly children: readonly (Tree | Leaf)[];
}

/** Reads the structure tags of a page; ignores damaged tags. */
export async function readPageTags(page: PDFPageProxy): Promise<PageTags> {
  const headings = new Map<string, TaggedHeading>();
  const tables: TaggedCell[][][] = [];
  let elementId = 0;
  const visit = (node: Tree | Leaf): void => {
    if (!("children" in node)) return;
    const level = headingLevel(node.role);
    if (level !== null) {
      elementId++;
      for (const id of contentOf(node)) headings.set(id, { level, elementId });
    } else if (node.role === "Table") {
      const rows = rowsOf(node);
      if (rows.length > 1 && rows.some((cells) => cells.length > 1)) tables.push(rows);
    } else for (const child of node.children) visit(child);
  };
  const tree: Tree | null = await page.getStructTree().catch(() => null);
  if (tree !== null) visit(tree);
  return { headings, tables };
}

function headingLevel(role: string): number | null {
  if (role === "Title") return 1;
  const match = /^H([1-6])$/.exec(role);
  return match === null ? null : Number(match[1]);
}

function rowsOf(table: Tree): TaggedCell[][] {
  return table.children.flatMap((child) => {
    if (!("children" in child)) return [];
    if (child.role !== "TR") return rowsOf(child);
    const cells = child.children.filter((cell): cell is Tree => "children" in cell && /^T[HD]$/.test(cell.role));
    return [cells.map(cellOf)];
  });
}

function cellOf(cell: Tree): TaggedCell {
  const [rows, columns] = cell.span ?? [1, 1];
  const limit = (span: number): number => Math.max(1, Math.min(MAX_SPAN, Math.trunc(span) || 1));
  return { contentIds: contentOf(cell), isHeader: cell.role === "TH", rows: limit(rows), columns: limit(columns) };
}

function contentOf(node: Tree): string[] {
  return node.children.flatMap((child) => {
    if ("children" in child) return contentOf(child);
    return child.type === "content" ? [child.id] : [];
  });
}
