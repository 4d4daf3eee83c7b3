import { SEARCHING_TOOLS } from "../contracts/call-target.ts";
import type { ToolDeclaration } from "../contracts/provider.ts";
import type { Registered, Registry } from "../contracts/registry.ts";
import type { Tool } from "../contracts/tool.ts";
import { declarationTokens, type OfferMode, type ToolPolicy, type ToolRecord } from "../contracts/tool-offer.ts";

/**
 * MCP tools and rare tools are deferred if their declarations exceed this share of the window, or this number of
 * tokens.
 */
export const DEFERRAL_PERCENT = 10;
export const MAX_ARRAY_TOKENS = 8_000;

/** The limits by which the array of a session may grow; further tools of servers are then deferred. */
const MAX_ADDED_TOOLS = 50;
const MAX_ADDED_TOKENS = 10_000;

/** The maximum number of names that are kept to distinguish withdrawn tools from unknown ones. */
const MAX_OFFERED_NAMES = 10_000;

type Entry = Registered<Tool>;
/** The names of tools that a request adds or changes compared with the array of the previous request. */
export type ArrayChange = { readonly added: readonly string[]; readonly changed: readonly string[] };

/** Without a policy, the array has every tool. */
const NO_POLICY: ToolPolicy = { deferral: "never", windowTokens: () => Number.POSITIVE_INFINITY, pending: () => [] };

/**
 * The tools of every request. Before the first request, the array shows the tools that would be sent. `settle` then
 * decides, once for the session, which MCP tools and rare tools are deferred; from then on, no declaration is
 * removed or moved.
 */
export class ToolArray {
  readonly #tools: Registry<Tool>;
  readonly #policy: ToolPolicy;
  #mode: OfferMode | undefined;
  /** The array of the last request; undefined before the first request. */
  #sent: readonly ToolDeclaration[] | undefined;
  #record: ToolRecord | undefined;
  /** The tools that were added to the array after the mode was decided. */
  #grown = { tools: 0, tokens: 0 };
  /** The entries at the last call of `settle`. */
  #settled: readonly Entry[] | undefined;
  /** The entries and the mode from which `#shown` and `#deferred` were computed. */
  #seen: { readonly entries: readonly Entry[]; readonly mode: OfferMode | undefined } | undefined;
  #weighed: { readonly entries: readonly Entry[]; readonly tokens: number; readonly count: number } | undefined;
  /** Names of tools that are not built in. */
  readonly #offered = new Set<string>();
  #shown: readonly ToolDeclaration[] = [];
  #deferred: readonly Tool[] = [];

  constructor(tools: Registry<Tool>, policy: ToolPolicy = NO_POLICY) {
    this.#tools = tools;
    this.#policy = policy;
  }

  get declarations(): readonly ToolDeclaration[] {
    if (this.#sent) return this.#sent;
    this.#look();
    return this.#shown;
  }

  /** Tools that the model reaches only by search. */
  get deferred(): readonly Tool[] {
    this.#look();
    return this.#deferred;
  }

  /** True if some tools are deferred, or may become so. */
  get isSearched(): boolean {
    const mode = this.#mode ?? this.#decide();
    return mode === "late" || mode === "deferred";
  }

  /** True if a request was sent while a tool with this name could be called. */
  hasOffered(name: string): boolean {
    return this.#offered.has(name) || (this.#sent?.some((tool) => tool.name === name) ?? false);
  }

  /** The record that a resumed session needs; undefined until the first decision. */
  get record(): ToolRecord | undefined {
    return this.#record;
  }

  /**
   * Fixes the array for the next request.
   * @param restored The array of a resumed session; only the first call uses it.
   * @returns the changes to an array that was sent before; undefined if the array does not change.
   */
  settle(restored: ToolRecord | undefined): ArrayChange | undefined {
    const { entries } = this.#tools;
    const mayDecide = this.#mode === undefined && this.#policy.pending().length > 0;
    if (this.#sent && this.#settled === entries && !mayDecide) return undefined;
    this.#settled = entries;
    for (const { name, source } of entries)
      if (source.kind !== "builtin" && this.#offered.size < MAX_OFFERED_NAMES) this.#offered.add(name);
    const isFirst = this.#sent === undefined && restored === undefined;
    if (!this.#sent && restored) this.#restore(restored);
    const before = this.#sent ?? [];
    const isDecidedNow = this.#mode === undefined;
    this.#mode ??= this.#decide();
    const added = this.#missingIn(before, isDecidedNow);
    const changed = this.#mode === "array" ? this.#changedIn(before) : [];
    const byName = new Map(changed.map((tool) => [tool.name, tool]));
    const isNew = added.length + changed.length > 0;
    this.#keep(isNew ? [...before.map((tool) => byName.get(tool.name) ?? tool), ...added] : before);
    return isFirst || !isNew ? undefined : { added: added.map(nameOf), changed: changed.map(nameOf) };
  }

  /** The declarations to add. Switches to deferring tools if servers add too many tools after the first request. */
  #missingIn(before: readonly ToolDeclaration[], isDecidedNow: boolean): readonly ToolDeclaration[] {
    const names = new Set(before.map(({ name }) => name));
    const missing = () =>
      this.#members(this.#mode)
        .filter(({ name, source }) => {
          const mayJoin = isDecidedNow || this.#mode === "array" || source.kind === "builtin";
          return mayJoin && !names.has(name);
        })
        .map((entry) => this.#declare(entry));
    const added = missing();
    if (isDecidedNow || this.#mode !== "array") return added;
    const tools = this.#grown.tools + added.length;
    const tokens = added.reduce((sum, tool) => sum + declarationTokens(tool), this.#grown.tokens);
    const isTooMuch = tools > MAX_ADDED_TOOLS || tokens > MAX_ADDED_TOKENS;
    if (isTooMuch && this.#policy.deferral !== "never" && this.#canDefer) {
      this.#mode = "deferred";
      return missing();
    }
    this.#grown = { tools, tokens };
    return added;
  }

  #keep(sent: readonly ToolDeclaration[]): void {
    this.#sent = sent;
    this.#seen = undefined;
    const isBuiltin = (name: string) => this.#tools.get(name)?.source.kind === "builtin";
    const array = sent.map((tool) => (isBuiltin(tool.name) ? tool.name : tool));
    this.#record = this.#mode && { mode: this.#mode, array };
  }

  #restore({ mode, array }: ToolRecord): void {
    this.#mode = mode;
    const there = array.flatMap((one) => {
      if (typeof one !== "string") return [one];
      const entry = this.#tools.get(one);
      return entry ? [this.#declare(entry)] : [];
    });
    this.#keep(there);
  }

  /** Tools whose input schema differs from the one in the array. */
  #changedIn(sent: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
    return sent.flatMap((tool) => {
      const entry = this.#tools.get(tool.name);
      return !entry || isSame(entry, tool) ? [] : [this.#declare(entry)];
    });
  }

  /** Updates the shown and the deferred tools from the registry. */
  #look(): void {
    const { entries } = this.#tools;
    const mode = this.#mode ?? this.#decide();
    if (this.#seen?.entries === entries && this.#seen.mode === mode) return;
    this.#seen = { entries, mode };
    if (!this.#sent) this.#shown = this.#members(mode).map((entry) => this.#declare(entry));
    const declared = new Map((this.#sent ?? this.#shown).map((tool) => [tool.name, tool]));
    const isMissing = (entry: Entry) => {
      const tool = declared.get(entry.name);
      return !tool || !isSame(entry, tool);
    };
    this.#deferred = this.isSearched ? entries.filter(isMissing).map(({ value }) => value) : [];
  }

  /** Decides the mode; undefined until a decision is needed. */
  #decide(): OfferMode | undefined {
    const { deferral, windowTokens, pending } = this.#policy;
    const { entries } = this.#tools;
    const awaited = pending();
    const hasServers = awaited.length > 0 || entries.some(({ source }) => source.kind !== "builtin");
    if (this.#canDefer && deferral !== "never") {
      const there = this.#weigh();
      const tokens = awaited.reduce((sum, server) => sum + (server.tokens ?? 0), there.tokens);
      const isAlways = deferral === "always" && there.count + awaited.length > 0;
      if (isAlways || tokens > limitOf(deferral, windowTokens())) return "deferred";
      if (awaited.some((server) => server.tokens === undefined)) return "late";
    }
    return hasServers ? "array" : undefined;
  }

  get #canDefer(): boolean {
    return SEARCHING_TOOLS.every((name) => this.#tools.get(name) !== undefined);
  }

  /** Sums the MCP tools and rare tools that are available now. */
  #weigh(): { readonly tokens: number; readonly count: number } {
    const { entries } = this.#tools;
    if (this.#weighed?.entries === entries) return this.#weighed;
    const candidates = entries.filter(isDeferrable);
    const tokens = candidates.reduce((sum, entry) => sum + declarationTokens(this.#declare(entry)), 0);
    this.#weighed = { entries, tokens, count: candidates.length };
    return this.#weighed;
  }

  #members(mode: OfferMode | undefined): readonly Entry[] {
    const { entries } = this.#tools;
    if (mode === "late") return entries;
    if (mode === "deferred") return entries.filter((entry) => !isDeferrable(entry));
    return entries.filter(({ name }) => !SEARCHING_TOOLS.includes(name));
  }

  #declare({ value: { spec } }: Entry): ToolDeclaration {
    const { name, inputSchema } = spec;
    const isThere = (other: string) => this.#tools.get(other) !== undefined;
    return { name, description: spec.describe?.(isThere) ?? spec.description, inputSchema };
  }
}

function limitOf(deferral: ToolPolicy["deferral"], windowTokens: number): number {
  if (typeof deferral === "object") return (windowTokens * deferral.percent) / 100;
  if (deferral === "always") return 0;
  return Math.min((windowTokens * DEFERRAL_PERCENT) / 100, MAX_ARRAY_TOKENS);
}

function isDeferrable({ value: { spec }, source }: Entry): boolean {
  return !spec.alwaysLoad && (source.kind !== "builtin" || spec.isRare === true);
}

function nameOf({ name }: ToolDeclaration): string {
  return name;
}

/**
 * Built-in tools never change. The descriptions of other tools may differ from list to list, but such a change does not
 * justify losing the cache.
 */
function isSame({ value: { spec }, source }: Entry, { inputSchema }: ToolDeclaration): boolean {
  return source.kind === "builtin" || JSON.stringify(spec.inputSchema) === JSON.stringify(inputSchema);
}
