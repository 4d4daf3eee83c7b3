/** Something that the model can find: a deferred tool. Another source, such as skills, gives entries of the same form. */
export type Findable = {
  readonly name: string;
  readonly description: string;
  /** More words that a search may use. */
  readonly hint?: string;
  /** The details that the model needs to use it: for a tool, the schema of its input. */
  details(): string;
};
