import { createHash } from "node:crypto";
import { Remembered } from "../remembered.ts";
import { segmentsOf } from "./estimate.ts";
import type { MessagesRequest } from "./request.ts";

/** Shorter prefixes are not cached. Source, for both numbers: Anthropic's guide to prompt caching. */
const MIN_CACHED_TOKENS = 1_024;
/** The number of blocks before a mark that are searched for a cached prefix. */
const LOOKBACK_SEGMENTS = 20;

/** Tokens of a request that were read from the cache and that were written to it. */
export type CacheUse = { readonly readTokens: number; readonly creationTokens: number };

export const NO_CACHE_USE: CacheUse = { readTokens: 0, creationTokens: 0 };

type Prefix = { readonly hash: string; readonly tokens: number; readonly isMarked: boolean };

/** Every prefix of a request, the shortest first. A mark of the request itself belongs to its last part. */
function prefixesOf(request: MessagesRequest): readonly Prefix[] {
  const segments = segmentsOf(request);
  let hash = request.model;
  let tokens = 0;
  return segments.map((segment, index) => {
    hash = createHash("sha256").update(hash).update(segment.identity).digest("base64");
    tokens += segment.tokens;
    const isLast = index === segments.length - 1;
    return { hash, tokens, isMarked: segment.isMarked || (isLast && Boolean(request.cache_control)) };
  });
}

/** A prompt cache as the API has it, without its lifetimes: an entry is a prefix, byte for byte, up to a mark. */
export class PromptCache {
  readonly #cached = new Remembered<true>();

  /** The cached tokens that a request reads and writes; later requests find its marked prefixes in the cache. */
  use(request: MessagesRequest): CacheUse {
    const prefixes = prefixesOf(request);
    const marks = [...prefixes.entries()].flatMap(([index, { isMarked, tokens }]) =>
      isMarked && tokens >= MIN_CACHED_TOKENS ? [index] : [],
    );
    const last = prefixes[marks.at(-1) ?? -1];
    if (!last) return NO_CACHE_USE;
    const hits = marks.flatMap((mark) => prefixes.slice(Math.max(0, mark - LOOKBACK_SEGMENTS), mark + 1));
    const readTokens = Math.max(0, ...hits.filter(({ hash }) => this.#cached.get(hash)).map(({ tokens }) => tokens));
    for (const mark of marks) {
      const hash = prefixes[mark]?.hash;
      if (hash !== undefined) this.#cached.set(hash, true);
    }
    return { readTokens, creationTokens: last.tokens - readTokens };
  }
}
