import { expect, test } from "bun:test";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { seededRandom } from "@quoll/model-twin/byte-cuts";
import type { AssistantBlock, Message, ToolResultBlock, UserBlock } from "../../../../src/contracts/message.ts";
import type { ProviderRequest } from "../../../../src/contracts/provider.ts";
import { clearResults } from "../../../../src/services/context/compaction/clear-results.ts";
import { requestBytes, withMark } from "../../../../src/services/provider/anthropic/request-bytes.ts";
import { claudeRules } from "../../../../src/services/provider/anthropic/to-blocks.ts";
import { type RequestOptions, toClaudeRequest } from "../../../../src/services/provider/anthropic/to-request.ts";
import { KnownHistories } from "../../../../src/services/provider/history/turns.ts";
import { rowOf } from "../../../../src/services/provider/model-rows.ts";
import { compactedBy } from "../../../support/compacted.ts";
import { deepTest } from "../../../support/deep.ts";
import { asked, assistant, deepFrozen, result, user } from "./support.ts";

const STEPS = 1_000;
const MODELS = ["claude-opus-4-5", "claude-sonnet-4-5", "unknown-model"] as const;
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const TEXTS = ["Plain.", "", 'quote " and \\ and \n', "half \ud83d", "ü😀", '"messages":[]', "long ".repeat(300)];

type Talk = { readonly request: ProviderRequest; readonly options: RequestOptions };

/** A session that is lived: it grows, and now and then something in it is replaced, as the engine and its helpers do. */
class Session {
  readonly #random: () => number;
  messages: readonly Message[] = [user("Begin.")];
  model: string = MODELS[0];
  tools: ProviderRequest["tools"] = [tool("Read")];
  options: RequestOptions = { images: true, documents: true, isOwn: () => true };
  #calls = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  get talk(): Talk {
    const request = asked(this.messages, { model: this.model, tools: this.tools, system: "Be brief." });
    return { request, options: { ...this.options, row: rowOf(this.model) } };
  }

  /** One thing happens. @returns its name. */
  async live(): Promise<string> {
    const happenings = {
      round: () => this.#round(),
      again: () => this.#round(),
      words: () => this.#add(user(this.pick(TEXTS), "More.")),
      stubs: () => this.#stub(),
      compaction: () => {
        this.messages = [user("In short: so far so good."), ...this.messages.slice(-4)];
      },
      redaction: () => this.#replaceResults((block) => ({ ...block, content: "[redacted]" })),
      smallerPictures: () =>
        this.#replaceResults((block) => ({ ...block, content: [{ type: "text", text: "[no picture]" }] })),
      fallback: () => {
        this.model = this.pick(MODELS);
        const own = this.model;
        this.options = { ...this.options, isOwn: ({ model }) => model === own };
      },
      abilities: () => {
        this.options = { ...this.options, images: this.below(2) === 0, documents: this.below(2) === 0 };
      },
      longerCache: () => {
        this.options = { ...this.options, cacheTtl: this.pick(["5m", "1h"]), without: new Set() };
      },
      otherTools: () => {
        this.tools = [tool("Read"), tool(`Server${this.below(3)}`)];
      },
    } as const;
    const name = this.pick(Object.keys(happenings) as (keyof typeof happenings)[]);
    await happenings[name]();
    return name;
  }

  #add(...messages: readonly Message[]): void {
    this.messages = [...this.messages, ...messages];
  }

  #round(): void {
    const ids = Array.from({ length: this.below(3) }, () => this.pick([`t${++this.#calls}`, "twice", "odd:id"]));
    const said: AssistantBlock[] = [
      { type: "thinking", thinking: this.pick(TEXTS), signature: this.pick(["", "signed"]) },
      { type: "text", text: this.pick(TEXTS) },
      ...ids.map((id) => ({ type: "tool_use" as const, id, name: "Read", input: { path: this.pick(TEXTS) } })),
    ];
    this.#add(assistant(said, this.model), user(...ids.map((id) => this.#result(id)), this.pick(TEXTS)));
  }

  #result(id: string): ToolResultBlock {
    const isError = this.below(3) === 0;
    if (this.below(4) > 0) return { type: "tool_result", toolUseId: id, content: this.pick(TEXTS), isError };
    const picture = { type: "image", mediaType: "image/png", data: PNG } as const;
    return { type: "tool_result", toolUseId: id, content: [picture, { type: "text", text: "seen" }], isError: false };
  }

  async #stub(): Promise<void> {
    const size = { why: "too_long", usedTokens: 10_000, windowTokens: 4_000, reservedTokens: 1_000 } as const;
    const { messages } = await compactedBy(clearResults(), this.messages, size);
    this.messages = messages;
  }

  #replaceResults(change: (block: ToolResultBlock) => ToolResultBlock): void {
    const at = this.below(this.messages.length);
    this.messages = this.messages.map((message, index) => {
      if (index !== at || message.role !== "user") return message;
      const content = message.content.map((block): UserBlock => (block.type === "tool_result" ? change(block) : block));
      return { ...message, content };
    });
  }
}

const requestText = (body: Parameters<typeof requestBytes>[0]) => new TextDecoder().decode(requestBytes(body));

deepTest(
  "the joined body is what JSON.stringify makes of a history never seen before, whatever happened to it",
  async () => {
    const random = seededRandom(4_711);
    const sessions = Array.from({ length: 6 }, () => new Session(random));
    const known = new KnownHistories();
    const past: string[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      const session = sessions[Math.floor(random() * random() * sessions.length)]!;
      past.push(await session.live());
      const { request, options } = deepFrozen(session.talk);
      const anew = toClaudeRequest(structuredClone(request), options).body;
      const joined = requestText(toClaudeRequest(request, { ...options, known }).body);
      expect([past.slice(-3), joined]).toEqual([past.slice(-3), JSON.stringify(anew)]);
      if (session.messages.length > 60) session.messages = session.messages.slice(-20);
    }
    expect(new Set(past).size).toBe(11);
  },
);

test("a continued history is not translated from its beginning", () => {
  const known = new KnownHistories();
  let looks = 0;
  const seen = user("Go.");
  const watched: Message = {
    ...seen,
    get content() {
      looks += 1;
      return seen.content;
    },
  } as Message;
  const history = [watched, assistant([{ type: "text", text: "Yes." }]), user("On.")];
  known.turns(
    history,
    claudeRules(() => true),
  );
  const first = looks;
  known.turns(
    [...history, assistant([{ type: "text", text: "Done." }]), user("And now?")],
    claudeRules(() => true),
  );
  expect([first, looks]).toEqual([1, 1]);
  known.turns(
    [...history],
    claudeRules(() => false),
  );
  expect(looks).toBe(2);
});

test("a block is written once and joined from then on, with a mark or without", () => {
  let writes = 0;
  const input = { toJSON: () => ({ path: "a", written: ++writes }) };
  const call = { type: "tool_use", id: "t1", name: "Read", input } as const;
  const first: Message = assistant([call as unknown as AssistantBlock]);
  const history = [user("Go."), first, user(result("t1", "A"))];
  const known = new KnownHistories();
  const textOf = (messages: readonly Message[]) => {
    const options = { images: true, documents: true, isOwn: () => true, known };
    return requestText(toClaudeRequest(asked(messages), options).body);
  };
  textOf(history);
  const seen = writes;
  const longer = textOf([...history, assistant([{ type: "text", text: "Done." }]), user("And now?")]);
  expect([seen, writes]).toEqual([1, 1]);
  expect(longer).toContain('"input":{"path":"a","written":1}');
});

test("fields that are undefined are left out, and a mark takes the place of one that is there", () => {
  const { body } = toClaudeRequest(asked(), { images: true, documents: true, isOwn: () => true });
  const own = { type: "text" as const, cache_control: { type: "ephemeral" as const, ttl: "1h" as const }, text: "x" };
  const content = [withMark(own, { type: "ephemeral" })];
  const odd = { ...body, messages: [{ role: "user", content }], thinking: undefined } as unknown as typeof body;
  expect(requestText(odd)).toBe(JSON.stringify(odd));
});

test("a message that cannot be written spoils none of the bodies that come after", () => {
  const said = (content: unknown) => ({ role: "user", content }) as MessageParam;
  const [first, second, third, unwritable] = [said("1"), said("2"), said("3"), said([{ input: 1n }])];
  const written = (...messages: MessageParam[]) => requestText({ messages });
  written(first, second, third);
  expect(() => written(first, said("4"), unwritable)).toThrow();
  expect(written(first, second, third, said("5"))).toBe(
    JSON.stringify({ messages: [first, second, third, said("5")] }),
  );
});

function tool(name: string): ProviderRequest["tools"][number] {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object", properties: { messages: {} } } };
}
