/** An item that the model can find: a deferred tool. Other sources, such as skills, provide items of the same form. */
export type Findable = {
  readonly name: string;
  readonly description: string;
  /** Additional words that a search may match. */
  readonly hint?: string;
  /** The details that the model needs to use the item: for a tool, the schema of its input. */
  details(): string;
};
