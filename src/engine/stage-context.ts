import type { StageContext } from "../contracts/compactor.ts";
import { ProviderError } from "../contracts/errors.ts";
import type { Message } from "../contracts/message.ts";
import type { Tasks } from "../contracts/task.ts";
import { blocksSize } from "../contracts/token-estimate.ts";
import { askModel } from "./ask-model.ts";
import type { CompactDeps, CompactRequest } from "./compact-request.ts";
import type { ChosenModel } from "./model-fallback.ts";
import { inputSize, limitsOf } from "./request-size.ts";
import type { Emit } from "./stream-events.ts";

/** The number of characters of a summary between two progress events. */
const PROGRESS_CHARS = 400;

/** The services that a stage of a compaction gets. */
export function stageContext(
  request: CompactRequest,
  deps: CompactDeps,
  emit: Emit,
  signal: AbortSignal,
): StageContext {
  const { conversation, toolPorts } = deps;
  let told = 0;
  let isOwn = false;
  const written = (chars: number) => {
    if (chars - told < PROGRESS_CHARS) return;
    told = chars;
    emit({ type: "compaction_progress", writtenTokens: Math.round(chars / 4) });
  };
  const tokensOf = (content: Message["content"]) => conversation.tokens.calibrated(blocksSize(content));
  return {
    signal,
    emit,
    async ask(question) {
      const own = { ...request, source: "compaction", tokensOf, written } as const;
      const chosen = isOwn ? request : await modelFor(request, deps, emit);
      isOwn = chosen === request;
      if (isOwn) return askModel(question, own, deps, signal);
      try {
        return await askModel(question, { ...own, ...chosen }, deps, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError)) throw error;
        isOwn = true;
        const message = `${chosen.model} could not write the summary (${error.message}): ${request.model} writes it.`;
        emit({ type: "notice", message });
        return askModel(question, own, deps, signal);
      }
    },
    history: (kinds) => conversation.history(kinds),
    describeSession: () => deps.describeSession(),
    skillsInUse: async (kept) => (await deps.skillsInUse?.(conversation.messages, kept)) ?? "",
    runningTasks: () => runningTasks(toolPorts.tasks),
  };
}

/** The model that writes the summary: the conversation's own if the configured model's window is too small. */
async function modelFor(request: CompactRequest, deps: CompactDeps, emit: Emit): Promise<ChosenModel> {
  const chosen = await deps.summaryModel?.();
  if (!chosen) return request;
  if (inputSize(request.system, deps) < limitsOf(chosen.model, deps).usable) return chosen;
  const message = `The window of ${chosen.model} is too small for this conversation: ${request.model} writes the summary.`;
  emit({ type: "notice", message });
  return request;
}

function runningTasks(tasks: Pick<Tasks, "list">): readonly string[] {
  return tasks
    .list()
    .flatMap(({ id, title, status, outputFile }) =>
      status === "running" ? [`${id}: ${title} (output: ${outputFile})`] : [],
    );
}
