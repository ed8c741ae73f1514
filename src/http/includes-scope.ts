import type { ApiKeyScope } from "../index.js";
import { API_KEY_SCOPES } from "../validation/schemas.js";

/** Whether a key of the scope may do what needs the other one. */
export function includesScope(scope: ApiKeyScope, needed: ApiKeyScope): boolean {
  return API_KEY_SCOPES.indexOf(scope) >= API_KEY_SCOPES.indexOf(needed);
}
