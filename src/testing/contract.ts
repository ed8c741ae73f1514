/** One requirement of a contract, as a test for any test runner. It fails by rejecting. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

/** Returns a function that turns a check into a case. Each case creates its own subject, and closes it afterwards. */
export function caseFactory<Subject>(
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
