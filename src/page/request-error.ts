/** Why a request failed, for the visitor. */
export class RequestError extends Error {
  /** Whether the same request may succeed later. */
  readonly canRetry: boolean;
  /** Whether the session has ended. */
  readonly needsSignIn: boolean;

  constructor(message: string, options: { readonly canRetry?: boolean; readonly needsSignIn?: boolean } = {}) {
    super(message);
    this.canRetry = options.canRetry ?? true;
    this.needsSignIn = options.needsSignIn ?? false;
  }
}
