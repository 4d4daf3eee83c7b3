import { join } from "node:path";
import type { Batches } from "../../contracts/batch.ts";
import type { BatchParts } from "./batch-parts.ts";

/** The batches of the session's project. The code for batches is loaded at the first use. */
export function sessionBatches({ main, environment, spend }: BatchParts): Batches {
  const { own, project } = environment;
  const folder = async () => {
    const { BatchFolder } = await import("../../services/batch/io/batch-file.ts");
    return new BatchFolder(join(own.data, "batches", project.id));
  };
  const summary = async (id: number) => {
    const { summaryOf } = await import("../../services/batch/batch-summary.ts");
    const batches = await folder();
    return summaryOf(id, batches.read(id), batches.resultsFile(id));
  };
  return {
    plan: async (request, signal) =>
      (await import("./plan-batch.ts")).planBatch(request, { main, environment, batches: await folder() }, signal),
    run: async (id, options) =>
      (await import("./run-batch.ts")).runBatch(id, options, { main, spend, batches: await folder() }),
    list: async () => {
      const shown = [];
      for (const id of (await folder()).ids()) shown.push(await summary(id));
      return shown;
    },
    show: summary,
  };
}
