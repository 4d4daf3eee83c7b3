import type { CompactionStage } from "../../../contracts/compactor.ts";

type Facts = Omit<CompactionStage, "run">;

/**
 * The stages of a compaction, cheapest first. The last one always makes room. The code of a stage is loaded when the
 * stage runs for the first time: most sessions end before.
 * @param canRecall True if the model has the tool Recall.
 */
export function compactionStages({ canRecall }: { readonly canRecall: boolean }): readonly CompactionStage[] {
  return [
    late({ name: "pictures" }, async () => (await import("./smaller-images.ts")).smallerImages()),
    late({ name: "media" }, async () => (await import("./fewer-media.ts")).fewerMedia()),
    late({ name: "old tool results" }, async () => {
      const { clearResults } = await import("./clear-results.ts");
      return clearResults({ onlyIfEnough: true, canRecall });
    }),
    late({ name: "summary", asksModel: true }, async () => (await import("./summarise.ts")).summarise({ canRecall })),
    late({ name: "old tool results" }, async () => (await import("./clear-results.ts")).clearResults({ canRecall })),
    late({ name: "oldest messages", isLastResort: true }, async () =>
      (await import("./leave-out.ts")).leaveOut({ canRecall }),
    ),
  ];
}

function late(facts: Facts, load: () => Promise<CompactionStage>): CompactionStage {
  return { ...facts, run: async (view, context) => (await load()).run(view, context) };
}
