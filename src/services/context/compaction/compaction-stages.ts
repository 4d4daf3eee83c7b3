import type { CompactionStage } from "../../../contracts/compactor.ts";
import { clearResults } from "./clear-results.ts";
import { fewerMedia } from "./fewer-media.ts";
import { leaveOut } from "./leave-out.ts";
import { smallerImages } from "./smaller-images.ts";
import { summarise } from "./summarise.ts";

/**
 * The stages of a compaction, cheapest first. The last one always makes room.
 * @param canRecall True if the model has the tool Recall.
 */
export function compactionStages({ canRecall }: { readonly canRecall: boolean }): readonly CompactionStage[] {
  const rest = [summarise({ canRecall }), clearResults({ canRecall }), leaveOut({ canRecall })];
  return [smallerImages(), fewerMedia(), clearResults({ onlyIfEnough: true, canRecall }), ...rest];
}
