/** One requirement of a contract, as a test for any test runner. */
export interface ContractCase {
  readonly name: string;
  /** Rejects if the requirement isn't met. */
  run(): Promise<void>;
}

/** Returns a function that turns a check into a case, which creates its own subject and closes it afterwards. */
export function createCaseFactory<Subject>(
  create: () => Subject | Promise<Subject>,
  close?: (subject: Subject) => Promise<void> | undefined,
): (name: string, check: (subject: Subject) => Promise<void>) => ContractCase {
  return (name, check) => ({
    name,
    async run() {
      const subject = await create();
      try {
        await check(subject);
      } finally {
        await close?.(subject);
      }
    },
  });
}
