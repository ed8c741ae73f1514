import { isAbortError, KnowledgeBaseError } from "../errors.js";
import { bareError } from "../net/bare-error.js";
import { redactor } from "../net/redactor.js";

/** Keeps what a driver was told in confidence out of the errors that it ends with. */
export interface HidingSecrets {
  call<Result>(work: () => Promise<Result>): Promise<Result>;
  driver<Driver extends object>(driver: Driver): Driver;
}

/** For the driver of a configuration that has secrets under these names; where it has none, everything stays as it is. */
export function hidingSecrets(config: object, names: readonly string[]): HidingSecrets {
  const secrets = secretTexts(config, names);
  if (secrets.length === 0) return { call: (work) => work(), driver: (driver) => driver };
  const clean = redactor(secrets);
  const call = async <Result>(work: () => Promise<Result>) => {
    try {
      return await work();
    } catch (error) {
      throw cleaned(error, clean);
    }
  };
  return { call, driver: (driver) => withCleanErrors(driver, clean) };
}

/** The texts among a configuration's values of these names. */
export function secretTexts(config: object, names: readonly string[]): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => (names.includes(name) ? textsIn(value) : []));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A driver whose methods end with clean errors. It stays their `this`, as it may be of a class with private fields; and it may be frozen. */
function withCleanErrors<Driver extends object>(driver: Driver, clean: (text: string) => string): Driver {
  return new Proxy({} as Driver, {
    has: (_, key) => key in driver,
    get(_, key) {
      const value: unknown = Reflect.get(driver, key, driver);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        try {
          const result: unknown = Reflect.apply(value, driver, given);
          if (!(result instanceof Promise)) return result;
          return result.catch((error: unknown) => {
            throw cleaned(error, clean);
          });
        } catch (error) {
          throw cleaned(error, clean);
        }
      };
    },
  });
}

/** Our own errors stay what they are but for their texts; of others only the bare parts are left. */
function cleaned(error: unknown, clean: (text: string) => string): unknown {
  if (isAbortError(error)) return error;
  if (!(error instanceof Error) || !KnowledgeBaseError.is(error)) return bareError(error, clean);
  const cause = KnowledgeBaseError.is(error.cause) ? cleaned(error.cause, clean) : bareError(error.cause, clean);
  return Object.defineProperties(error, {
    message: { value: clean(error.message) },
    stack: { value: clean(error.stack ?? "") },
    issues: { value: error.issues.map((issue) => ({ ...issue, message: clean(issue.message) })) },
    ...(cause !== undefined && { cause: { value: cause } }),
  });
}
