import {
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { Scenario } from "@quoll/model-twin/scenario";
import { builtArtefacts } from "./built.ts";
import { quollPlace } from "./quoll-process.ts";

/** The published client of this ecosystem, by its public interface alone, drives the program as it is built. */

export type SdkPlace = Awaited<ReturnType<typeof quollPlace>>;
const open: Query[] = [];
const { executable } = await builtArtefacts();

/** For `afterEach`: ends every query that a test began. */
export function closeQueries(): void {
  for (const one of open.splice(0)) one.close();
}

export function ask(here: SdkPlace, prompt: string | AsyncIterable<SDKUserMessage>, options: Options = {}): Query {
  const own = { pathToClaudeCodeExecutable: executable, cwd: here.project.dir, env: here.environmentOf({}) };
  const asked = query({ prompt, options: { ...own, ...options } });
  open.push(asked);
  return asked;
}

export async function collect(messages: AsyncIterable<SDKMessage>): Promise<readonly SDKMessage[]> {
  const all: SDKMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

/** As `collect`, for a conversation that ends with an error: the client throws then, and the messages came before. */
export async function collectAll(messages: AsyncIterable<SDKMessage>): Promise<readonly SDKMessage[]> {
  const all: SDKMessage[] = [];
  await (async () => {
    for await (const message of messages) all.push(message);
  })().catch(() => undefined);
  return all;
}

export const kinds = (messages: readonly SDKMessage[]) =>
  messages.map((message) => ("subtype" in message ? `${message.type}/${message.subtype}` : message.type));

export function resultOf(messages: readonly SDKMessage[]): SDKResultMessage {
  const result = messages.findLast((message) => message.type === "result");
  if (!result) throw new Error(`There is no result among ${kinds(messages).join(", ")}.`);
  return result;
}

/** The lines that a session showed the person. */
export const remarks = (messages: readonly SDKMessage[]): readonly string[] =>
  messages.flatMap((message) =>
    message.type === "system" && message.subtype === "informational" ? [message.content] : [],
  );

export const user = (content: SDKUserMessage["message"]["content"]): SDKUserMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
});

/** Messages that are sent one by one, when the test says so. */
export function speech() {
  const waiting: SDKUserMessage[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  return {
    say: (content: SDKUserMessage["message"]["content"], more: Partial<SDKUserMessage> = {}) => {
      waiting.push({ ...user(content), ...more });
      wake();
    },
    end: () => {
      isOver = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next) yield next;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

/** The text of the last message to the model. */
export const lastWords = (here: SdkPlace, index: number) =>
  here
    .sent()
    [index]?.messages.at(-1)
    ?.content.map(({ text: words }) => words)
    .at(-1);

export const place = (scenario: Scenario, files = { "a.txt": "A\n" }) => quollPlace({ files, scenario });
