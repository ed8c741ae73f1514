/** What the page's script knows when it starts. */
export interface PageConfig {
  readonly state: "ready" | "sign-in";
  /** The path of the page, to which those of its routes are appended. */
  readonly base: string;
  readonly title: string;
  readonly logo: string | null;
  readonly welcomeMessage: string | null;
  readonly exampleQuestions: readonly string[];
  readonly exampleSearchQueries: readonly string[];
  readonly searchEnabled: boolean;
  readonly hasLanguageModel: boolean;
  /** Whether the visitor can ask for a sign-in code. */
  readonly canSignIn: boolean;
  /** The e-mail address of the visitor's session. */
  readonly signedInAs: string | null;
  /** The query in the address of the page. */
  readonly query: string | null;
}

/** A part of a document's text, for a viewer. */
export interface PageDocument {
  readonly title: string;
  readonly mediaType: string;
  readonly text: string;
  /** Where `text` begins in the document's text. */
  readonly start: number;
  /** The length of the document's text. */
  readonly total: number;
  /** The page of the requested range, from 1; absent if the format has no pages. */
  readonly page?: number;
  readonly hasFile: "pdf" | null;
}
