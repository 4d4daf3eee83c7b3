import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { nearestNames } from "../../../contracts/did-you-mean.ts";
import type { Findable } from "../../../contracts/findable.ts";
import { searchWords } from "../../../contracts/search-words.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { searchIndexOf } from "./search-index.ts";
import { toolSearchSpec } from "./spec.ts";

const DEFAULT_RESULTS = 5;
/** Descriptions and schemas that one search returns. */
export const MAX_RESULTS = 20;

export const toolSearchInput = z.object({
  query: z.string().trim().min(1),
  max_results: z.number().int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
});

/** The maximum length of the descriptions and schemas in one answer; further matches are only named. */
const MAX_ANSWER_CHARS = 32_000;
/** The maximum number of names of further matching tools. */
const MAX_NAMED = 20;

/** Shows deferred tools to the model: name, description and the schema of the input. */
export function toolSearchTool(): Tool {
  return defineTool(toolSearchSpec, toolSearchInput, async ({ query, max_results }, { findables }) => ({
    level: "none",
    concurrencySafe: true,
    subjects: [],
    title: query,
    run: async () => {
      const all = findables();
      const { items, missing } = findByQuery(query, all);
      const limit = SELECT.test(query) ? MAX_RESULTS : max_results;
      const { text, shown } = answer(items, limit);
      const words = [text, ...missing.map((name) => missingLine(name, all)), noneLine(items, missing, all)];
      return textResult(words.filter((part) => part !== "").join("\n\n"), {
        exemptFromSpill: true,
        display: { kind: "summary", text: plural(shown, "tool") },
      });
    },
  }));
}

function answer(items: readonly Findable[], limit: number): { readonly text: string; readonly shown: number } {
  const parts: string[] = [];
  let chars = 0;
  for (const item of items.slice(0, limit)) {
    const part = `## ${item.name}\n${item.description}\ninput schema: ${item.details()}`;
    if (parts.length > 0 && chars + part.length > MAX_ANSWER_CHARS) break;
    chars += part.length;
    parts.push(part);
  }
  const rest = items.slice(parts.length).map(({ name }) => name);
  const more = rest.length > MAX_NAMED ? ` and ${rest.length - MAX_NAMED} more` : "";
  const named = rest.length === 0 ? [] : [`These match too: ${rest.slice(0, MAX_NAMED).join(", ")}${more}`];
  return { text: [...parts, ...named].join("\n\n"), shown: parts.length };
}

function missingLine(name: string, all: readonly Findable[]): string {
  const [nearest] = nearestNames(
    name,
    all.map((item) => item.name),
    1,
  );
  return `There is no deferred tool ${name}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
}

function noneLine(items: readonly Findable[], missing: readonly string[], all: readonly Findable[]): string {
  if (items.length + missing.length > 0) return "";
  if (all.length === 0) return "No tool is deferred: call the tools that you have.";
  return `None of the ${plural(all.length, "deferred tool")} fits. Use fewer words, or leave out \`+\`.`;
}

/** Entries with a much lower score than the best one are left out. */
const MIN_SHARE_OF_BEST = 0.25;
const SERVER_PREFIX = /^mcp__.+?__/;
/** The beginning of a query that names tools. */
const SELECT = /^select:/i;

type Found = {
  readonly items: readonly Findable[];
  /** Names in a `select:` query that no entry has. */
  readonly missing: readonly string[];
};

/**
 * Finds the matches of a query, best first: by exact name (also without the server's prefix), by `select:a,b`, else by words. A
 * word with `+` must occur. Ties keep the order of `all`, so that the same query gives the same answer.
 */
export function findByQuery(query: string, all: readonly Findable[]): Found {
  if (SELECT.test(query)) return select(query.replace(SELECT, "").split(","), all);
  const exact = named(query, all);
  if (exact.length > 0) return { items: exact, missing: [] };
  return { items: rank(query, all), missing: [] };
}

function select(names: readonly string[], all: readonly Findable[]): Found {
  const wanted = names.map((name) => name.trim()).filter((name) => name !== "");
  const items = new Set(wanted.flatMap((name) => named(name, all)));
  return { items: [...items], missing: wanted.filter((name) => named(name, all).length === 0) };
}

function named(name: string, all: readonly Findable[]): readonly Findable[] {
  const folded = name.toLowerCase();
  const ending: { readonly item: Findable; readonly name: string }[] = [];
  const { names } = searchIndexOf(all);
  for (let at = 0; at < names.length; at += 1) {
    const item = names[at]?.endsWith(folded) ? all[at] : undefined;
    if (item) ending.push({ item, name: names[at] ?? "" });
  }
  const whole = ending.filter((one) => one.name === folded);
  const found = whole.length > 0 ? whole : ending.filter((one) => one.name.replace(SERVER_PREFIX, "") === folded);
  return found.map(({ item }) => item);
}

function rank(query: string, all: readonly Findable[]): readonly Findable[] {
  const scores = scoresOf(query, all);
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  const least = Math.max(best * MIN_SHARE_OF_BEST, Number.MIN_VALUE);
  // Entries with the same score keep their order; most share theirs with many others.
  const byScore = new Map<number, Findable[]>();
  for (let at = 0; at < all.length; at += 1) {
    const item = all[at];
    const score = scores[at] ?? 0;
    if (!item || score < least) continue;
    const same = byScore.get(score);
    if (same) same.push(item);
    else byScore.set(score, [item]);
  }
  return [...byScore].sort(([a], [b]) => b - a).flatMap(([, items]) => items);
}

/** The score of each entry; 0 for one that lacks a required word. */
function scoresOf(query: string, all: readonly Findable[]): Float64Array {
  const index = searchIndexOf(all);
  const terms = query.split(/\s+/).map((term) => ({ words: searchWords(term), isRequired: term.startsWith("+") }));
  const required = new Set(terms.filter(({ isRequired }) => isRequired).flatMap(({ words }) => words));
  const scores = new Float64Array(all.length);
  for (const word of new Set(terms.flatMap((term) => term.words))) index.addTo(scores, word);
  for (const word of required) {
    const own = new Float64Array(all.length);
    index.addTo(own, word);
    for (let at = 0; at < all.length; at += 1) if (own[at] === 0) scores[at] = 0;
  }
  return scores;
}
