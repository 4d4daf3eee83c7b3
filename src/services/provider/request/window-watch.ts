import { type AssistantMessage, totalInputTokens } from "../../../contracts/message.ts";
import type { ModelCatalog } from "../../../contracts/ports.ts";
import type { ProviderRequest } from "../../../contracts/provider.ts";
import { blocksTokens, CHARS_PER_TOKEN } from "../../../contracts/token-estimate.ts";

/** How to enlarge the window of any server, as a clause. */
const LARGER_SERVER_WINDOW = "start the server with a larger window for the model";

/** No server cuts prompts at a smaller number. */
const MIN_WINDOW = 2_048;
/** Windows are multiples of one of these. */
const ROUND_STEPS = [256, 1_000] as const;
/** A request that is larger than the reported usage by this factor was probably cut. */
const CUT_FACTOR = 1.5;
/** A request of a smaller share of the reported usage proves nothing: its server counts differently. */
const MIN_SENT_SHARE = 0.7;
/** A smaller growth may vanish in the server's way to count. */
const MIN_GROWTH_TOKENS = 256;
/** The number of signs that prove a window of any size. */
const PROOF = 2;
/** The smallest share of a known window that one sign can prove. */
const MIN_KNOWN_SHARE = 0.5;
const MAX_MODELS = 50;

type Answer = Pick<AssistantMessage, "usage" | "stopReason">;
type Asked = Pick<ProviderRequest, "model" | "system" | "messages" | "tools" | "maxTokens">;

/** The facts that one model's answers have shown. */
type Seen = {
  /** The size of the request before; 0 if its reported usage was no round number. */
  sentTokens: number;
  reportedTokens: number;
  /** The largest prompt that the server has read as a whole. */
  acceptedTokens: number;
  readonly signs: Map<number, number>;
  /** The window before this was learnt. */
  learnt?: { readonly window: number; readonly before: number };
  isTold: boolean;
};

export type WindowWatchOptions = {
  readonly catalog: ModelCatalog;
  /** Host and port, for messages. */
  readonly host: string;
  /** How the person can enlarge the window at the server, as a clause; by default one that fits any server. */
  readonly remedy?: string;
  /** Asks the server for the window with which it loaded a model; undefined if it does not say. Never rejects. */
  loadedWindow?(model: string): Promise<number | undefined>;
};

/**
 * Finds out the window of a server that cuts prompts without an error. Signs: the reported usage stays at a round number
 * while requests grow, or is such a number for a much larger request; or an answer ends by its length where prompt and
 * answer together are such a number. What is learnt holds for this session; a larger accepted request takes it back.
 */
export class WindowWatch {
  readonly #options: WindowWatchOptions;
  readonly #seen = new Map<string, Seen>();

  constructor(options: WindowWatchOptions) {
    this.#options = options;
  }

  /**
   * Notes an answer.
   * @returns one line for the person, once for each model, if a smaller window was learnt. A promise only if the server has to be asked.
   */
  answered(request: Asked, answer: Answer): Promise<string | undefined> | string | undefined {
    const { model } = request;
    const isFirst = !this.#seen.has(model);
    const seen = this.#of(request);
    const asked = isFirst ? this.#options.loadedWindow?.(model) : undefined;
    if (!asked) return this.#note(request, answer, seen);
    return asked.then((loaded) =>
      loaded === undefined ? this.#note(request, answer, seen) : this.#learn(model, seen, loaded),
    );
  }

  #note(request: Asked, answer: Answer, seen: Seen): string | undefined {
    const { model } = request;
    if (answer.usage.estimated) return undefined;
    const reported = totalInputTokens(answer.usage);
    // Only a round number can be a sign: for all others the request is not measured.
    const sent = isRound(reported) ? rawTokens(request) : 0;
    const cut = cutAt({ request, answer, sent, reported }, seen);
    if (cut === undefined) this.#accept(model, seen, reported);
    Object.assign(seen, { sentTokens: sent, reportedTokens: reported });
    if (cut === undefined || cut < seen.acceptedTokens) return undefined;
    const signs = (seen.signs.get(cut) ?? 0) + 1;
    seen.signs.set(cut, signs);
    const { known, contextWindow } = this.#options.catalog.capabilities(model);
    const before = seen.learnt?.before ?? contextWindow;
    const least = known && signs < PROOF ? before * MIN_KNOWN_SHARE : 0;
    return this.#learn(model, seen, Math.max(cut, Math.floor(least)), cut);
  }

  /** @param shownWindow The window that the answers suggest; less than `window` if one sign is not enough. */
  #learn(model: string, seen: Seen, window: number, shownWindow = window): string | undefined {
    const { catalog } = this.#options;
    const before = seen.learnt?.before ?? catalog.capabilities(model).contextWindow;
    if (window >= catalog.capabilities(model).contextWindow) return undefined;
    seen.learnt = { window, before };
    catalog.learn?.(model, { contextWindow: window });
    if (seen.isTold) return undefined;
    seen.isTold = true;
    return this.#line(model, { before, window, shownWindow });
  }

  #line(
    model: string,
    { before, window, shownWindow }: { readonly before: number; readonly window: number; readonly shownWindow: number },
  ): string {
    const { catalog, host, remedy = LARGER_SERVER_WINDOW } = this.#options;
    const setting = `models.${model}.contextWindow`;
    const found = `${host} reads only ${shown(shownWindow)} tokens of a prompt for ${model}, not ${shown(before)}, and cuts the rest without a word.`;
    const kept = window === shownWindow ? "that" : `${shown(window)} until another answer shows the same`;
    const isApplied = catalog.capabilities(model).contextWindow === window;
    const effect = isApplied
      ? `Quoll keeps to ${kept} in this session (the setting ${setting} overrides it).`
      : `The setting ${setting} says more: change it.`;
    return `${found} ${effect} For more, ${remedy}.`;
  }

  /** A request that is larger than the learnt window proves that the window is larger. */
  #accept(model: string, seen: Seen, tokens: number): void {
    seen.acceptedTokens = Math.max(seen.acceptedTokens, tokens);
    if (!seen.learnt || seen.acceptedTokens <= seen.learnt.window) return;
    this.#options.catalog.learn?.(model, { contextWindow: seen.learnt.before });
    delete seen.learnt;
    seen.signs.clear();
  }

  /** In a resumed conversation, the newest answer of the history is the first one. */
  #of(request: Asked): Seen {
    const { model } = request;
    const known = this.#seen.get(model);
    if (known) return known;
    const [oldest] = this.#seen.keys();
    if (this.#seen.size >= MAX_MODELS && oldest !== undefined) this.#seen.delete(oldest);
    const seen: Seen = { ...lastAnswer(request), acceptedTokens: 0, signs: new Map(), isTold: false };
    this.#seen.set(model, seen);
    return seen;
  }
}

function lastAnswer(request: Asked): Pick<Seen, "sentTokens" | "reportedTokens"> {
  const { messages, model } = request;
  const at = messages.findLastIndex((message) => message.role === "assistant" && message.model === model);
  const last = messages[at];
  if (last?.role !== "assistant" || last.usage.estimated) return { sentTokens: 0, reportedTokens: 0 };
  const reportedTokens = totalInputTokens(last.usage);
  const sentTokens = isRound(reportedTokens) ? rawTokens({ ...request, messages: messages.slice(0, at) }) : 0;
  return { sentTokens, reportedTokens };
}

type Cut = { readonly request: Asked; readonly answer: Answer; readonly sent: number; readonly reported: number };

/** The window that this answer suggests; undefined if it shows no cut. */
function cutAt({ request, answer, sent, reported }: Cut, before: Seen): number | undefined {
  const { outputTokens } = answer.usage;
  const total = reported + outputTokens;
  if (answer.stopReason === "max_tokens" && outputTokens < request.maxTokens && isRound(total)) return total;
  if (!isRound(reported) || sent < reported * MIN_SENT_SHARE) return undefined;
  const isStuck = reported === before.reportedTokens && sent - before.sentTokens >= MIN_GROWTH_TOKENS;
  const isMuchLess = isPowerOfTwo(reported) && sent >= reported * CUT_FACTOR;
  return isStuck || isMuchLess ? reported : undefined;
}

function isRound(tokens: number): boolean {
  return tokens >= MIN_WINDOW && ROUND_STEPS.some((step) => tokens % step === 0);
}

function isPowerOfTwo(tokens: number): boolean {
  return Number.isInteger(Math.log2(tokens));
}

/** The estimated tokens of a request, from its text alone: reported usage would hide a cut. */
function rawTokens({ system, messages, tools }: Asked): number {
  const beside = (system.length + JSON.stringify(tools).length) / CHARS_PER_TOKEN;
  return messages.reduce((sum, { content }) => sum + blocksTokens(content), beside);
}

function shown(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
