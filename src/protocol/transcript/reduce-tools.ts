import { withoutAdvice } from "../../contracts/advice.ts";
import type { Progress } from "../../contracts/display.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import { imageHeader } from "../../contracts/image-header.ts";
import { type ImageBlock, type ToolResultContent, textOf } from "../../contracts/message.ts";
import type { AnswerNote } from "../../contracts/question.ts";
import { thinkingRow } from "./reduce-thinking.ts";
import { todoChanges } from "./todo-changes.ts";
import { type FinishedTool, type Row, type RunningTool, startWatch, type Transcript, type Turn } from "./transcript.ts";

/** The number of base64 characters that contain the header of a photo with an embedded preview. */
const HEADER_CHARS = 256 * 1024;

type Started = Extract<EngineEvent, { type: "tool_started" }>;
type Finished = Extract<EngineEvent, { type: "tool_finished" }>;

/** The tools whose neighbouring calls share a row. */
const EXPLORATIONS: ReadonlySet<string> = new Set(["Read", "Grep", "Glob", "Recall"]);

/** The maximum part of a call's result that the transcript keeps. */
export const MAX_EXCERPT_CHARS = 16_000;

/** True if neighbouring calls of this tool share a row. */
export function isExploration(toolName: string): boolean {
  return EXPLORATIONS.has(toolName);
}

export function startTool(state: Transcript, { use, title }: Started, nowMs: number): Transcript {
  const tool: RunningTool = {
    use,
    title,
    watch: startWatch(nowMs),
    progress: undefined,
    finished: undefined,
  };
  return { ...state, running: [...state.running, tool] };
}

export function withProgress(state: Transcript, toolUseId: string, progress: Progress): Transcript {
  return change(state, toolUseId, (tool) => ({ ...tool, progress }));
}

/** Keeps an answer until the row of its call is settled. */
export function noteAnswer(state: Transcript, toolUseId: string, answer: AnswerNote): Transcript {
  return change(state, toolUseId, (tool) => ({ ...tool, answer }));
}

export function finishTool(state: Transcript, { result, durationMs, display }: Finished): Transcript {
  const images = resultMedia(result.content);
  const ended = change(state, result.toolUseId, (tool) => ({
    ...tool,
    finished: {
      use: tool.use,
      title: tool.title,
      isError: result.isError,
      durationMs,
      startedAt: tool.watch.startedAt,
      excerpt: withoutAdvice(textOf(result.content)).slice(0, MAX_EXCERPT_CHARS),
      display,
      refusedBy: result.end?.kind === "refused" ? result.end.by : undefined,
      ...(result.wholeIn !== undefined && { isShortened: true as const }),
      ...(tool.answer && { answer: tool.answer }),
      ...(images.length > 0 && { images }),
      ...(display?.kind === "todos" && { todoChanges: todoChanges(state.shownTodos, display.todos) }),
      // Outside a turn, only the person runs commands.
      ...(!state.turn && { isOwn: true }),
    },
  }));
  const listed = display?.kind === "todos" ? { ...ended, shownTodos: display.todos } : ended;
  const counted =
    display?.kind === "diff" && !result.isError ? { ...listed, turn: count(listed.turn, display) } : listed;
  return settleFinished(counted);
}

/** The call's result was dropped, so it gets no row. */
export function discardTool(state: Transcript, toolUseId: string): Transcript {
  return settleFinished({ ...state, running: state.running.filter(({ use }) => use.id !== toolUseId) });
}

/** Rows come in call order: an ended call waits for the calls before it. */
function settleFinished(state: Transcript): Transcript {
  let now = state;
  while (now.running[0]?.finished) {
    const [{ finished }, ...running] = now.running as [RunningTool & { finished: FinishedTool }];
    now = { ...now, running };
    if (isExploration(finished.use.name) && !finished.isError) {
      now = { ...now, explorations: [...now.explorations, finished] };
    } else {
      const row: Row = { kind: "tool", tool: finished };
      const settled = settleExplorations(now);
      now = { ...settled, settled: settled.settled.append(row) };
    }
  }
  return now;
}

/** The group of reads and searches is complete, since another row follows. */
export function settleExplorations(state: Transcript): Transcript {
  if (state.explorations.length === 0) return state;
  const { state: ended, row } = thinkingRow(state);
  const settled = ended.settled.append({ kind: "explorations", tools: ended.explorations });
  return { ...ended, explorations: [], settled: row ? settled.append(row) : settled };
}

function change(state: Transcript, toolUseId: string, to: (tool: RunningTool) => RunningTool): Transcript {
  if (!state.running.some(({ use }) => use.id === toolUseId)) return state;
  return { ...state, running: state.running.map((tool) => (tool.use.id === toolUseId ? to(tool) : tool)) };
}

function count(turn: Turn | undefined, diff: { path: string; added: number; removed: number }): Turn | undefined {
  if (!turn) return undefined;
  const { added, removed, path } = diff;
  return {
    ...turn,
    files: new Set([...turn.files, path]),
    added: turn.added + added,
    removed: turn.removed + removed,
  };
}

/**
 * The images and documents of a call's result, as the model got them, in words: `image 800×600 PNG, 120 KB`,
 * `document PDF, 1 KB`.
 */
function resultMedia(content: ToolResultContent): readonly string[] {
  const blocks = typeof content === "string" ? [] : content.filter((block) => block.type !== "text");
  return blocks.map((block) => {
    const type = block.mediaType.replace(/^\w+\//, "").toUpperCase();
    const bytes = Math.floor((block.data.replace(/=+$/, "").length * 3) / 4);
    const size = bytes < 1_024 ? `${bytes} bytes` : `${Math.ceil(bytes / 1_024)} KB`;
    const pixels = block.type === "image" ? pixelsOf(block) : undefined;
    return `${[block.type, pixels, type].filter(Boolean).join(" ")}, ${size}`;
  });
}

function pixelsOf({ data }: ImageBlock): string | undefined {
  const header = imageHeader(Buffer.from(data.slice(0, HEADER_CHARS), "base64"));
  return header?.width && header.height ? `${header.width}×${header.height}` : undefined;
}
