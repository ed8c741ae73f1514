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
  /** For each table its rows, for each row its cells, for each cell its content ids. */
  readonly tables: readonly (readonly (readonly (readonly string[])[])[])[];
}

export const NO_TAGS: PageTags = { headings: new Map(), tables: [] };

interface Leaf {
  readonly type: string;
  readonly id: string;
}

interface Tree {
  readonly role: string;
  readonly children: readonly (Tree | Leaf)[];
}

/** Reads the structure tags of a page; ignores damaged tags. */
export async function readPageTags(page: PDFPageProxy): Promise<PageTags> {
  const headings = new Map<string, TaggedHeading>();
  const tables: (readonly string[])[][][] = [];
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

function rowsOf(table: Tree): (readonly string[])[][] {
  return table.children.flatMap((child) => {
    if (!("children" in child)) return [];
    if (child.role !== "TR") return rowsOf(child);
    const cells = child.children.filter((cell): cell is Tree => "children" in cell && /^T[HD]$/.test(cell.role));
    return [cells.map(contentOf)];
  });
}

function contentOf(node: Tree): string[] {
  return node.children.flatMap((child) => {
    if ("children" in child) return contentOf(child);
    return child.type === "content" ? [child.id] : [];
  });
}
