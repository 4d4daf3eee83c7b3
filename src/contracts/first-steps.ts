/** The words for a person who starts Quoll for the first time: each entry is one line. */
export type FirstSteps = {
  /** The model and where its key comes from, or how to add one. */
  readonly model: string;
  /** Where to look around; works without a model. */
  readonly look: string;
  /** Three inputs that fit the folder. */
  readonly tries: readonly string[];
};
