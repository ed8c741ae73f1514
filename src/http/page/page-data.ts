import type { TextRange } from "../../types.js";
import type { RangedText } from "../ranged-text.js";
import type { PageStrings } from "./strings/english.js";

/** What the page's script knows when it starts. */
export interface PageConfig {
  readonly state: "ready" | "sign-in";
  /** The code of the language of the page's own texts. */
  readonly language: string;
  readonly strings: PageStrings["client"];
  /** The path of the page, to which those of its routes are appended. */
  readonly base: string;
  readonly title: string;
  readonly logo: string | null;
  readonly welcomeMessage: string | null;
  readonly exampleQuestions: readonly string[];
  readonly exampleSearchQueries: readonly string[];
  readonly searchEnabled: boolean;
  readonly hasLanguageModel: boolean;
  /** Whether only those who have signed in may use the page. */
  readonly isProtected: boolean;
  /** Whether the visitor can ask for a sign-in code. */
  readonly canSignIn: boolean;
  /** The e-mail address of the visitor's session. */
  readonly signedInAs: string | null;
  /** Under which the browser may keep the visitor's conversations; `null` if it must not keep any. */
  readonly visitorId: string | null;
  /** The query in the address of the page. */
  readonly query: string | null;
}

/** A part of a document, for a viewer. */
export interface PageDocument extends RangedText {
  readonly title: string;
  readonly mediaType: string;
  /** The document's text as it is if it is plain text; else with the markup of Markdown. */
  readonly text: string;
  /** The requested range in `text`. */
  readonly ranges: readonly TextRange[];
  /**
   * The characters of the text read before that are left out where this text continues it: at its end, or at its
   * beginning if this text is before it.
   */
  readonly repeated: number;
  /** The range of the document's text that is shown. */
  readonly start: number;
  readonly end: number;
  /** The length of the document's text. */
  readonly total: number;
  /** The page of the requested range, from 1; absent if the format has no pages. */
  readonly page?: number;
  readonly hasFile: "pdf" | null;
}
