import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { nearestNames } from "../../../contracts/did-you-mean.ts";
import type { Findable } from "../../../contracts/findable.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { findByQuery, SELECT } from "./rank-findables.ts";
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
