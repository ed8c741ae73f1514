/** One promise of an interface, as a test that any test runner can run: it fails by rejecting. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}
