/** The text for a person who starts Quoll for the first time: each entry is one line. */
export type FirstSteps = {
  /** The model and where its key comes from, or how to add one. */
  readonly model: string;
  /** Commands to explore Quoll; they work without a model. */
  readonly look: string;
  /** Three suggested inputs for the folder. */
  readonly examples: readonly string[];
};
