import type { ParagraphFlow } from "../shared/office/paragraph-flow.js";

/** Where the text of a group goes. */
export type Destination =
  | "flow"
  /** Nowhere, and neither does the text of the groups within the group. */
  | "skipAll"
  | "fonts"
  | "styles"
  | "info"
  | "instruction"
  | "marker"
  | "author"
  /** Nowhere, but groups within the group may have destinations of their own. */
  | "skipText"
  | "propertyName"
  | "propertyValue";

/** A field: its instruction, and the run of text with its result. */
export interface Field {
  instruction: string;
  readonly flow: ParagraphFlow;
  /** The id of the run in the flow. */
  readonly runId: number;
}

/** The state that an opening brace saves and its closing brace restores. */
export interface Group {
  destination: Destination;
  flow: ParagraphFlow;
  field: Field | null;
  infoKey: string | null;
  /** The number of characters in the fallback of a Unicode character. */
  fallbackLength: number;
  /** The number of the font; -1 if not set. */
  font: number;
  isHidden: boolean;
  isDeleted: boolean;
  // Paragraph properties:
  /** The number of the paragraph style; -1 if not set. */
  style: number;
  outlineLevel: number | null;
  listNumber: number | null;
  listLevel: number;
  isInTable: boolean;
  tableDepth: number;
  indent: number;
  firstIndent: number;
}

/** Returns the state at the start of a document. */
export function initialGroup(flow: ParagraphFlow): Group {
  return {
    destination: "flow",
    flow,
    field: null,
    infoKey: null,
    fallbackLength: 1,
    font: -1,
    isHidden: false,
    isDeleted: false,
    ...PLAIN_PARAGRAPH,
  };
}

/** The values to which `\pard` resets the paragraph properties. */
export const PLAIN_PARAGRAPH = {
  style: -1,
  outlineLevel: null,
  listNumber: null,
  listLevel: 0,
  isInTable: false,
  tableDepth: 0,
  indent: 0,
  firstIndent: 0,
} as const;

/** The text and paragraph properties that each control word sets. */
const PROPERTIES = new Map<string, (value: number | null) => Partial<Group>>([
  ["pard", () => PLAIN_PARAGRAPH],
  ["uc", (value) => ({ fallbackLength: Math.min(100, Math.max(0, value ?? 1)) })],
  ["f", (value) => ({ font: value ?? 0 })],
  ["v", (value) => ({ isHidden: value !== 0 })],
  ["deleted", (value) => ({ isDeleted: value !== 0 })],
  ["s", (value) => ({ style: value ?? 0 })],
  ["outlinelevel", (value) => ({ outlineLevel: value })],
  ["ls", (value) => ({ listNumber: value })],
  ["ilvl", (value) => ({ listLevel: Math.min(8, Math.max(0, value ?? 0)) })],
  ["intbl", () => ({ isInTable: true })],
  ["itap", (value) => ({ tableDepth: Math.min(20, Math.max(0, value ?? 1)) })],
  ["li", (value) => ({ indent: value ?? 0 })],
  ["lin", (value) => ({ indent: value ?? 0 })],
  ["fi", (value) => ({ firstIndent: value ?? 0 })],
]);

/** Applies a control word to the text and paragraph properties. Returns false if the word sets none. */
export function applyProperty(group: Group, word: string, value: number | null): boolean {
  const properties = PROPERTIES.get(word);
  if (properties !== undefined) Object.assign(group, properties(value));
  return properties !== undefined;
}
