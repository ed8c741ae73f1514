import type { DocumentStanding } from "../storage/search-index.js";
import type { Question } from "./question.js";
import type { Stages } from "./search.js";
import type { Sources } from "./sources.js";

/** A search and a document's standing in it, at one epoch of the scope. */
export interface ExplainContext {
  readonly documentId: string;
  readonly question: Question;
  readonly sources: Sources;
  readonly stages: Stages;
  readonly standing: DocumentStanding;
}
