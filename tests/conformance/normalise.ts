import type { EngineEvent, Outcome } from "../../src/contracts/event.ts";
import type { AssistantBlock, AssistantMessage, ToolUseBlock } from "../../src/contracts/message.ts";
import { textOf } from "../../src/contracts/message.ts";

/** All allowed differences between wires, with reasons. The compared lines leave out nothing else. */
export const MAY_DIFFER: Readonly<Record<string, string>> = {
  "ids of messages and calls":
    "each vendor, and the engine's counter behind retries, makes its own; calls are numbered",
  "sizes of deltas": "Gemini and some servers send a call's input whole; neighbouring deltas are joined",
  "the spelling of a call's JSON": "Gemini sends an object, the others text; it is parsed before it is compared",
  "neighbouring blocks of one kind": "Chat Completions joins them; the report has a line break between two",
  "what a broken try had shown":
    "the bytes before a break hold other events on each wire; it must be void by `restarted`",
  "when a safe call starts in the stream":
    "wires end blocks at other times; the calls are told behind their answer, in its order",
  "status and words of a failure": "an overload is 529, 503 or UNAVAILABLE; the words name host and API",
  "usage, cost, times and model": "some servers count in their own way, or not at all",
  signatures: "opaque; not every vendor signs",
  "stop_sequence and end_turn": "only Anthropic tells them apart",
};

const LONGEST_SHOWN = 160;

function quoted(text: string): string {
  if (text.length <= LONGEST_SHOWN) return JSON.stringify(text);
  return `${text.length} characters ${Bun.hash(text).toString(36)}`;
}

/** The form of a text of any length in a line. */
export const longText = quoted;

type Shown = { readonly kind: "text" | "thinking" | "input"; readonly key: string; text: string };
type Told = { readonly id: string; readonly line: string };

class Normaliser {
  readonly lines: string[] = [];
  readonly #numbers = new Map<string, string>();
  #shown: Shown[] = [];
  #tools: Told[] = [];
  #calls: readonly ToolUseBlock[] = [];

  take(event: EngineEvent): void {
    const line = this.#kept(event) ? undefined : plainLine(event);
    if (line !== undefined) this.lines.push(line);
  }

  /** True if the event is reported later, or in another form. */
  #kept(event: EngineEvent): boolean {
    if (event.type === "text_delta") this.#show("text", "", event.text);
    else if (event.type === "thinking_delta") this.#show("thinking", "", event.text);
    else if (event.type === "tool_input_delta") this.#show("input", event.toolUseId, event.json);
    else if (event.type === "restarted") this.#shown = [];
    else if (event.type === "assistant_message") this.#answer(event.message);
    else if (event.type === "tool_results") this.#results(event.message.content.length);
    else return this.#toolKept(event);
    return true;
  }

  #toolKept(event: EngineEvent): boolean {
    if (event.type === "tool_started") {
      const { use, level, title } = event;
      this.#tools.push({ id: use.id, line: `start ${use.name} (${level}) ${quoted(title)}` });
    } else if (event.type === "tool_finished") {
      const { toolUseId, isError, content } = event.result;
      this.#tools.push({ id: toolUseId, line: `${isError ? "error" : "result"} ${quoted(textOf(content))}` });
    } else if (event.type === "tool_discarded") {
      this.#tools = this.#tools.filter(({ id }) => id !== event.toolUseId);
    } else return false;
    return true;
  }

  #show(kind: Shown["kind"], key: string, text: string): void {
    const last = this.#shown.at(-1);
    if (last && last.kind === kind && last.key === key) last.text += text;
    else this.#shown.push({ kind, key, text });
  }

  #answer(message: AssistantMessage): void {
    const calls = message.content.filter((block) => block.type === "tool_use");
    for (const { id } of calls) {
      if (this.#numbers.has(id)) this.lines.push(`a second call has the id ${id}`);
      this.#numbers.set(id, `#${this.#numbers.size + 1}`);
    }
    this.#calls = calls;
    const stop = message.stopReason === "stop_sequence" ? "end_turn" : message.stopReason;
    const said = joined(message.content).map((block) => this.#blockLine(block));
    this.lines.push(`answer ${stop}: ${said.join(" | ")}`);
    const shown = this.#shown.flatMap((part) => shownLine(part));
    const words = joined(message.content).flatMap(saidLine);
    if (JSON.stringify(shown) !== JSON.stringify(words)) {
      this.lines.push(`shown otherwise than said: ${shown.join(" | ").slice(0, 400)}`);
    }
    this.#shown = [];
  }

  #blockLine(block: AssistantBlock): string {
    switch (block.type) {
      case "text":
        return `text ${quoted(block.text)}`;
      case "thinking":
        return `thinking ${quoted(block.thinking)}`;
      case "tool_use": {
        const input = block.malformed ? `broken ${quoted(block.malformed.text)}` : quoted(JSON.stringify(block.input));
        return `call ${this.#numbers.get(block.id)} ${block.name} ${input}`;
      }
      default:
        return block.type;
    }
  }

  #results(count: number): void {
    for (const { id } of this.#calls) {
      for (const told of this.#tools) if (told.id === id) this.lines.push(`${this.#numbers.get(id)} ${told.line}`);
    }
    this.lines.push(`results ${count}`);
    this.#tools = [];
  }
}

/** The part of a block that a reader of the deltas saw. */
function saidLine(block: AssistantBlock): readonly string[] {
  if (block.type === "text") return [`text ${block.text}`];
  if (block.type === "thinking") return block.thinking === "" ? [] : [`thinking ${block.thinking}`];
  if (block.type !== "tool_use") return [];
  return inputLine(block.malformed ? block.malformed.text : JSON.stringify(block.input));
}

function shownLine({ kind, text }: Shown): readonly string[] {
  return kind === "input" ? inputLine(text) : [`${kind} ${text}`];
}

function inputLine(json: string): readonly string[] {
  let text = json;
  try {
    text = JSON.stringify(JSON.parse(json));
  } catch {
    // Broken JSON is compared as it stands.
  }
  return text === "{}" || text === "" ? [] : [`input ${text}`];
}

function joined(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const blocks: AssistantBlock[] = [];
  for (const block of content) {
    const last = blocks.at(-1);
    if (last?.type === "text" && block.type === "text") blocks.splice(-1, 1, { ...last, text: last.text + block.text });
    else if (last?.type === "thinking" && block.type === "thinking")
      blocks.splice(-1, 1, { ...last, thinking: last.thinking + block.thinking });
    else blocks.push(block);
  }
  return blocks;
}

function outcomeLine(outcome: Outcome): string {
  return outcome.reason === "stopped_short" ? `stopped_short ${quoted(outcome.message)}` : outcome.reason;
}

function plainLine(event: EngineEvent): string | undefined {
  switch (event.type) {
    case "turn_started":
      return `turn ${quoted(event.prompt)} [${event.message.content.map(({ type }) => type).join(" ")}]`;
    case "request_started":
      return `request ${event.step}`;
    case "retry":
      return `retry ${event.attempt} of ${event.maxAttempts} after ${event.delayMs} ms`;
    case "words_added":
      return `words of ${event.by} ${quoted(event.prompt)}`;
    case "compacted":
      return `compacted ${event.why}`;
    case "continued":
      return `continued ${event.reason}`;
    case "turn_finished": {
      const { outcome, steps, text, structuredOutput } = event.report;
      const structured = structuredOutput === undefined ? "" : ` ${JSON.stringify(structuredOutput)}`;
      return `finished ${steps} ${outcomeLine(outcome)}: ${quoted(text.replaceAll("\n", ""))}${structured}`;
    }
    case "busy_changed":
    case "context_changed":
    case "compaction_started":
      return undefined;
    default:
      return event.type;
  }
}

/** The events as lines that are the same on every wire. */
export function normalised(events: readonly EngineEvent[]): readonly string[] {
  const normaliser = new Normaliser();
  for (const event of events) normaliser.take(event);
  return normaliser.lines;
}
