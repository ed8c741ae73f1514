import type { PageConfig } from "./page-data.js";
import type { Visit } from "./visit.js";

/** Of a protected page, a visitor who has not signed in sees the title and the logo. */
export function toPageConfig(visit: Visit, { query, visitorId }: Pick<PageConfig, "query" | "visitorId">): PageConfig {
  const { settings, base, isAdmitted, email, language } = visit;
  const { title, logo, welcomeMessage, exampleQuestions, exampleSearchQueries, searchEnabled } = settings;
  return {
    state: isAdmitted ? "ready" : "sign-in",
    language: language.code,
    strings: language.strings.client,
    ...{ base, title, logo },
    welcomeMessage: isAdmitted ? welcomeMessage : null,
    exampleQuestions: isAdmitted ? exampleQuestions : [],
    exampleSearchQueries: isAdmitted && searchEnabled ? exampleSearchQueries : [],
    searchEnabled,
    hasLanguageModel: visit.languageModel !== undefined || visit.call.kb.hasLanguageModel,
    isProtected: settings.protected,
    canSignIn: visit.canSignIn,
    signedInAs: email,
    visitorId,
    query,
  };
}
