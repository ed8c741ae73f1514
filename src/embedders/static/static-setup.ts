export interface StaticSetup {
  /** Path of the table. */
  readonly table: string;
}
