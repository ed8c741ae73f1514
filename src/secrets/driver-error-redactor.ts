import { isAbortError, KnowledgeBaseError } from "../errors.js";
import { redactor } from "../net/redactor.js";
import { stripError } from "../net/strip-error.js";

/** Masks a driver's secrets in the driver's errors. */
export interface DriverErrorRedactor {
  /** Runs `work` and redacts the error that it throws. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Wraps a driver, so that its methods throw redacted errors. */
  wrap<Driver extends object>(driver: Driver): Driver;
}

/**
 * Creates a redactor for the errors of a driver.
 * @param secretFields The secret fields of the driver's configuration. If none has a value, drivers are not wrapped.
 */
export function createDriverErrorRedactor(config: object, secretFields: readonly string[]): DriverErrorRedactor {
  const secrets = secretStrings(config, secretFields);
  if (secrets.length === 0) return { run: (work) => work(), wrap: (driver) => driver };
  const redact = redactor(secrets);
  const run = async <Result>(work: () => Promise<Result>) => {
    try {
      return await work();
    } catch (error) {
      throw redactError(error, redact);
    }
  };
  return { run, wrap: (driver) => withRedactedErrors(driver, redact) };
}

/** Returns the strings and numbers, at any depth, in the secret fields of a configuration. */
export function secretStrings(config: object, secretFields: readonly string[]): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => (secretFields.includes(name) ? stringsIn(value) : []));
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Wraps a driver in a proxy. Methods run on the driver itself, which may have private fields or be frozen. */
function withRedactedErrors<Driver extends object>(driver: Driver, redact: (text: string) => string): Driver {
  return new Proxy({} as Driver, {
    has: (_, key) => key in driver,
    get(_, key) {
      const value: unknown = Reflect.get(driver, key, driver);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        try {
          const result: unknown = Reflect.apply(value, driver, args);
          if (!(result instanceof Promise)) return result;
          return result.catch((error: unknown) => {
            throw redactError(error, redact);
          });
        } catch (error) {
          throw redactError(error, redact);
        }
      };
    },
  });
}

/** Redacts the texts of a KnowledgeBaseError in place. Replaces any other error with a redacted copy. */
function redactError(error: unknown, redact: (text: string) => string): unknown {
  if (isAbortError(error)) return error;
  if (!(error instanceof Error) || !KnowledgeBaseError.is(error)) return stripError(error, redact);
  const cause = KnowledgeBaseError.is(error.cause) ? redactError(error.cause, redact) : stripError(error.cause, redact);
  return Object.defineProperties(error, {
    message: { value: redact(error.message) },
    stack: { value: redact(error.stack ?? "") },
    issues: { value: error.issues.map((issue) => ({ ...issue, message: redact(issue.message) })) },
    ...(cause !== undefined && { cause: { value: cause } }),
  });
}
