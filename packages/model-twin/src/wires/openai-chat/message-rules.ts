import { at, type Report } from "../../shape.ts";
import { judgeFileData, judgeImageUrl } from "../openai/data-url.ts";
import type { Message, Part, ToolCall } from "./request.ts";
import type { Rule } from "./rule.ts";

const callsOf = (message: Message | undefined): readonly ToolCall[] =>
  message?.role === "assistant" ? (message.tool_calls ?? []) : [];

/** The ids that a row of neighbouring tool messages answers, starting at an index. */
function answeredFrom(messages: readonly Message[], start: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let index = start; ; index += 1) {
    const message = messages[index];
    if (message?.role !== "tool") return ids;
    ids.add(message.tool_call_id);
  }
}

/** Each call must be answered directly after its message, next to the answers of its sibling calls. */
export const callsAreAnswered: Rule = ({ request: { messages } }, report) => {
  for (const [index, message] of messages.entries()) {
    const calls = callsOf(message);
    const answered = answeredFrom(messages, index + 1);
    const open = calls.filter(({ id }) => !answered.has(id));
    if (open.length === 0) continue;
    const ids = open.map(({ id }) => id).join(", ");
    report(
      at("messages", index),
      `tool_calls must be followed by messages of the role tool that answer each of them; without an answer: ${ids}`,
    );
  }
};

/** Each message of the role tool answers a call of the message before its row, once. */
export const toolMessagesAnswerACall: Rule = ({ request: { messages } }, report) => {
  let asked = new Set<string>();
  let seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== "tool") {
      asked = new Set(callsOf(message).map(({ id }) => id));
      seen = new Set();
      continue;
    }
    const { tool_call_id: id } = message;
    const where = at(at("messages", index), "tool_call_id");
    if (asked.size === 0)
      report(at(at("messages", index), "role"), "a message of the role tool must follow a message with tool_calls");
    else if (!asked.has(id)) report(where, `${id} is no call of the message before`);
    else if (seen.has(id)) report(where, `a second answer to ${id}: each call has exactly one`);
    seen.add(id);
  }
};

export const callIdsAreUnique: Rule = ({ request: { messages } }, report) => {
  for (const [index, message] of messages.entries()) {
    const seen = new Set<string>();
    for (const [place, { id }] of callsOf(message).entries()) {
      if (seen.has(id))
        report(
          `messages.${index}.tool_calls.${place}.id`,
          `ids must be unique in a message, and ${id} was used before`,
        );
      seen.add(id);
    }
  }
};

export const callsComeOneAtATime: Rule = ({ request: { messages }, options }, report) => {
  if (options.chat?.parallelCalls !== false) return;
  for (const [index, message] of messages.entries()) {
    const count = callsOf(message).length;
    if (count > 1)
      report(`messages.${index}.tool_calls`, `this server takes a single tool call at once, and ${count} were found`);
  }
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const argumentsAreJson: Rule = ({ request: { messages }, options }, report) => {
  if (!options.chat?.jsonArguments) return;
  for (const [index, message] of messages.entries()) {
    for (const [place, call] of callsOf(message).entries()) {
      if (!isJson(call.function.arguments))
        report(`messages.${index}.tool_calls.${place}.function.arguments`, "is not valid JSON");
    }
  }
};

/** The start of the open tool loop at the end: after the last message that is neither a call nor an answer. */
function openLoopStart(messages: readonly Message[]): number {
  if (messages.at(-1)?.role !== "tool") return messages.length;
  return messages.findLastIndex((message) => message.role !== "tool" && callsOf(message).length === 0) + 1;
}

/** In an open tool loop, a call must come back with the reasoning that led to it. */
export const reasoningIsKeptInLoop: Rule = ({ request: { messages }, options, reasoningOf }, report) => {
  if (options.chat?.returnedReasoning !== "required") return;
  const start = openLoopStart(messages);
  for (const [index, message] of messages.entries()) {
    const [first] = callsOf(message);
    if (index < start || message.role !== "assistant" || !first) continue;
    const sent = reasoningOf(first.id);
    if (sent === undefined || sent === (message.reasoning_content ?? message.reasoning)) continue;
    report(
      `messages.${index}.reasoning_content`,
      "must be the reasoning that was sent with these tool_calls, unchanged, as long as their tool loop is open",
    );
  }
};

function judgeMedia(parts: readonly Part[], where: string, report: Report): void {
  for (const [index, part] of parts.entries()) {
    const place = at(where, index);
    if (part.type === "image_url") judgeImageUrl(part.image_url.url, `${place}.image_url.url`, report);
    if (part.type !== "file") continue;
    const { file_data: data, file_id: id } = part.file;
    if (data !== undefined) judgeFileData(data, `${place}.file.file_data`, report);
    else if (id === undefined) report(`${place}.file`, "must have file_data or file_id");
  }
}

export const mediaIsWhatItSays: Rule = ({ request: { messages } }, report) => {
  for (const [index, { content }] of messages.entries()) {
    if (Array.isArray(content)) judgeMedia(content as readonly Part[], `messages.${index}.content`, report);
  }
};
