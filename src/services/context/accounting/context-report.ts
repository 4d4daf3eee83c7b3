import type { CompactionReport } from "../../../contracts/compaction.ts";
import {
  CONTEXT_SOURCES,
  type ContextReport,
  type ContextRow,
  type ContextSource,
  type ContextTurn,
  type CountedParts,
  type DeferredTools,
  type InputPrice,
  MESSAGE_KINDS,
  type ToolTraffic,
} from "../../../contracts/context-report.ts";
import type { InstructionOrigin } from "../../../contracts/instructions.ts";
import type { Message } from "../../../contracts/message.ts";
import type { ToolDeclaration } from "../../../contracts/provider.ts";
import type { WindowLimits } from "../../../contracts/window-limits.ts";
import { type Measure, messagePieces, type Piece, sectionPieces, toolPieces } from "./context-pieces.ts";

/** The next request, and what is known of its size. */
export type ReportParts = {
  readonly model: string;
  readonly limits: WindowLimits;
  readonly autoCompact: boolean;
  /** The origins of the active instruction files, by name. */
  readonly origins?: ReadonlyMap<string, InstructionOrigin>;
  readonly sections: readonly { readonly name: string; readonly text: string }[];
  readonly tools: readonly ToolDeclaration[];
  readonly deferred: readonly DeferredTools[];
  readonly messages: readonly Message[];
  /** The tokens of the whole request, as the rest of the session counts them. */
  readonly usedTokens: number;
  /** True if the count is based on the usage that an answer reported. */
  readonly isReported: boolean;
  readonly counted?: CountedParts | undefined;
  /** The price of `usedTokens`, or of `counted.used`; undefined if the price is unknown. */
  readonly usd: InputPrice | undefined;
  /** Ids of messages and calls that the person pinned. */
  readonly pinned?: ReadonlySet<string>;
  /** The check of the newest summary in the messages. */
  readonly lastSummary?: CompactionReport | undefined;
  isServers(toolName: string): boolean;
  /** Tokens of something estimated, calibrated. */
  readonly measure: Measure;
};

/** Divides the tokens of the next request among its parts, so that their sum is the size that the session reckons with. Pure. */
export function contextReport(parts: ReportParts): ContextReport {
  const { model, limits, autoCompact, deferred, counted } = parts;
  const usedTokens = counted?.used ?? parts.usedTokens;
  const pieces = fittedPieces(parts);
  const row = rowMaker(limits.window, usedTokens, parts.usd);
  const estimated = parts.isReported ? "usage" : "estimate";
  return {
    model,
    limits,
    autoCompact,
    usedTokens,
    countedBy: counted ? "provider" : estimated,
    ...(parts.usd && { usd: parts.usd }),
    bySource: sums(CONTEXT_SOURCES, pieces, ({ source }) => source),
    rows: merged(pieces.filter(({ source }) => source !== "messages")).map((piece) => ({
      ...row(piece),
      ...originOf(piece, parts),
    })),
    turns: turnsOf(pieces, parts, row),
    byKind: sums(MESSAGE_KINDS, pieces, ({ kind }) => kind),
    byTool: trafficOf(pieces),
    deferred,
    ...(parts.lastSummary && { lastSummary: parts.lastSummary }),
  };
}

/** The estimates, scaled to what was counted: of the whole request, or of each part. */
function fittedPieces(parts: ReportParts): readonly Piece[] {
  const { sections, tools, messages, measure, counted } = parts;
  const all = [
    ...sectionPieces(sections, measure),
    ...toolPieces(tools, parts.isServers, measure),
    ...messagePieces(messages, measure),
  ];
  if (!counted) return fitted(all, parts.usedTokens);
  const { system, own, servers, used } = counted;
  const of = (...sources: readonly ContextSource[]) => all.filter(({ source }) => sources.includes(source));
  return [
    ...fitted(of("prompt"), system),
    ...fitted(of("tools"), own),
    ...fitted(of("mcp"), servers),
    ...fitted(of("instructions", "memory", "messages"), Math.max(0, used - system - own - servers)),
  ];
}

/** Scales pieces to whole tokens whose sum is exactly `total`. */
function fitted(pieces: readonly Piece[], total: number): readonly Piece[] {
  const estimated = pieces.reduce((sum, { tokens }) => sum + tokens, 0);
  if (estimated === 0) return pieces;
  let before = 0;
  return pieces.map((piece) => {
    const from = Math.round((before * total) / estimated);
    before += piece.tokens;
    return { ...piece, tokens: Math.round((before * total) / estimated) - from };
  });
}

type MakeRow = (piece: Pick<Piece, "source" | "label" | "tokens">) => ContextRow;

function rowMaker(window: number, usedTokens: number, usd: InputPrice | undefined): MakeRow {
  return ({ source, label, tokens }) => {
    const part = usedTokens > 0 ? tokens / usedTokens : 0;
    const price = usd && { cached: usd.cached * part, uncached: usd.uncached * part };
    return { source, label, tokens, share: window > 0 ? tokens / window : 0, ...(price && { usd: price }) };
  };
}

/** A file that was sent as several texts becomes one row. */
function merged(pieces: readonly Piece[]): readonly Piece[] {
  const byName = new Map<string, Piece>();
  for (const piece of pieces) {
    const key = `${piece.source} ${piece.label}`;
    byName.set(key, { ...piece, tokens: piece.tokens + (byName.get(key)?.tokens ?? 0) });
  }
  return [...byName.values()];
}

function originOf({ source, label }: Piece, { origins }: Pick<ReportParts, "origins">): Pick<ContextRow, "origin"> {
  const origin = source === "instructions" ? origins?.get(label) : undefined;
  return origin === undefined ? {} : { origin };
}

function pin(isPinned: boolean): { readonly isPinned?: true } {
  return isPinned ? { isPinned } : {};
}

function turnsOf(
  pieces: readonly Piece[],
  { pinned = new Set() }: Pick<ReportParts, "pinned">,
  row: MakeRow,
): readonly ContextTurn[] {
  const turns = Map.groupBy(
    pieces.filter(({ source }) => source === "messages"),
    ({ turn = 0 }) => turn,
  );
  return [...turns].map(([number, own]) => {
    const label = own.find(({ kind }) => kind !== "results")?.label ?? "";
    const tokens = own.reduce((sum, piece) => sum + piece.tokens, 0);
    const results = own.flatMap((piece) => {
      const { toolUseId } = piece;
      return toolUseId === undefined ? [] : [{ ...row(piece), toolUseId, ...pin(pinned.has(toolUseId)) }];
    });
    const id = own[0]?.messageId ?? "";
    return { ...row({ source: "messages", label, tokens }), number, id, results, ...pin(pinned.has(id)) };
  });
}

function trafficOf(pieces: readonly Piece[]): readonly ToolTraffic[] {
  const byTool = Map.groupBy(
    pieces.filter(({ toolName }) => toolName !== undefined),
    ({ toolName = "" }) => toolName,
  );
  const tokens = (own: readonly Piece[], wanted: Piece["kind"]) =>
    own.reduce((sum, piece) => sum + (piece.kind === wanted ? piece.tokens : 0), 0);
  return [...byTool].map(([name, own]) => ({
    name,
    callTokens: tokens(own, "calls"),
    resultTokens: tokens(own, "results"),
  }));
}

function sums<Name extends string>(
  names: readonly Name[],
  pieces: readonly Piece[],
  nameOf: (piece: Piece) => Name | undefined,
): Readonly<Record<Name, number>> {
  const totals = new Map<Name | undefined, number>();
  for (const piece of pieces) totals.set(nameOf(piece), (totals.get(nameOf(piece)) ?? 0) + piece.tokens);
  return Object.fromEntries(names.map((name) => [name, totals.get(name) ?? 0])) as Record<Name, number>;
}
