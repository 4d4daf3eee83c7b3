import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { nearestName } from "../../../contracts/did-you-mean.ts";
import type { Findable } from "../../../contracts/findable.ts";
import { searchWords } from "../../../contracts/search-words.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { namedFew } from "../../../contracts/words.ts";
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
  const named = rest.length === 0 ? [] : [`These match too: ${namedFew(rest, MAX_NAMED)}`];
  return { text: [...parts, ...named].join("\n\n"), shown: parts.length };
}

function missingLine(name: string, all: readonly Findable[]): string {
  const names = all.map((item) => item.name);
  const nearest = nearestName(name, names);
  return `There is no deferred tool ${name}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
}

function noneLine(items: readonly Findable[], missing: readonly string[], all: readonly Findable[]): string {
  if (items.length + missing.length > 0) return "";
  if (all.length === 0) return "No tool is deferred: call the tools that you have.";
  return `None of the ${plural(all.length, "deferred tool")} fits. Use fewer words, or leave out \`+\`.`;
}

/** Entries with a much lower score than the best one are left out. */
const MIN_SHARE_OF_BEST = 0.25;
const NAME_WEIGHT = 6;
const HINT_WEIGHT = 3;
const DESCRIPTION_WEIGHT = 1;
/** The share of a word's weight that counts if the word is only the beginning of another. */
const PREFIX_SHARE = 0.5;
const MIN_PREFIX_CHARS = 3;
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
  const withName = (nameOf: (item: Findable) => string) => all.filter((item) => nameOf(item).toLowerCase() === folded);
  const whole = withName((item) => item.name);
  return whole.length > 0 ? whole : withName((item) => item.name.replace(SERVER_PREFIX, ""));
}

/** Entries with the same score keep their order. */
function rank(query: string, all: readonly Findable[]): readonly Findable[] {
  const terms = query.split(/\s+/).map((term) => ({ words: searchWords(term), isRequired: term.startsWith("+") }));
  const words = [...new Set(terms.flatMap((term) => term.words))];
  const required = terms.filter(({ isRequired }) => isRequired).flatMap((term) => term.words);
  const scored = all.map((item) => ({ item, score: scoreOf(item, words, required) }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const least = Math.max(best * MIN_SHARE_OF_BEST, Number.MIN_VALUE);
  const fitting = scored.filter(({ score }) => score >= least);
  return fitting.sort((a, b) => b.score - a.score).map(({ item }) => item);
}

/** The score of an entry; 0 for one that lacks a required word. */
function scoreOf({ name, hint = "", description }: Findable, words: readonly string[], required: readonly string[]) {
  const texts = [
    { weight: NAME_WEIGHT, stems: new Set(searchWords(name)) },
    { weight: HINT_WEIGHT, stems: new Set(searchWords(hint)) },
    { weight: DESCRIPTION_WEIGHT, stems: new Set(searchWords(description)) },
  ];
  const weightOf = (word: string) => texts.reduce((sum, { weight, stems }) => sum + weight * shareOf(word, stems), 0);
  if (required.some((word) => weightOf(word) === 0)) return 0;
  return words.reduce((sum, word) => sum + weightOf(word), 0);
}

function shareOf(word: string, stems: ReadonlySet<string>): number {
  if (stems.has(word)) return 1;
  const isBeginning = word.length >= MIN_PREFIX_CHARS && [...stems].some((stem) => stem.startsWith(word));
  return isBeginning ? PREFIX_SHARE : 0;
}
