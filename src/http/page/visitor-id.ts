import type { Visit } from "./visit.js";

/**
 * The id under which the visitor's browser may keep conversations. `null` if it must not: who the visitors are that a
 * host application admits is not known, so that the next one would see them.
 */
export async function visitorIdOf({ call, settings, isAdmitted, email }: Visit): Promise<string | null> {
  if (!isAdmitted || (settings.protected && email === null)) return null;
  return call.kb.pageVisitorId(settings, email);
}
