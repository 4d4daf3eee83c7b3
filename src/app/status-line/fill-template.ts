import { basename } from "node:path";
import { formatSeconds, formatUsd } from "@quoll/terminal-text/format-amount";
import { joinedLines } from "@quoll/terminal-text/one-line";
import { totalInputTokens } from "../../contracts/message.ts";
import { TEMPLATE_NAMES, type TemplateName } from "../../contracts/status-line.ts";
import { gitBranch } from "../../platform/git/find-ref.ts";
import { modelName } from "./model-name.ts";
import type { StatusSources } from "./status-facts.ts";

const NAME = /\{(\w+)\}/g;
const BETWEEN = " · ";

/**
 * Fills the placeholders of a template. A part between ` · ` whose placeholders are all empty is left out. Unknown
 * placeholders stay unchanged.
 */
export function fillTemplate(template: string, values: Readonly<Record<TemplateName, string>>): string {
  return template
    .split("\n")
    .map((line) =>
      line
        .split(BETWEEN)
        .filter((part) => !isEmpty(part, values))
        .map((part) => part.replace(NAME, (source, name) => (isName(name) ? values[name] : source)))
        .join(BETWEEN),
    )
    .join("\n");
}

/** The placeholders of a template that Quoll does not know. */
export function unknownNames(template: string): readonly string[] {
  return [...template.matchAll(NAME)].flatMap(([, name = ""]) => (isName(name) ? [] : [name]));
}

function isEmpty(part: string, values: Readonly<Record<TemplateName, string>>): boolean {
  const names = [...part.matchAll(NAME)].map(([, name = ""]) => name);
  return names.length > 0 && names.every((name) => isName(name) && values[name] === "");
}

function isName(name: string): name is TemplateName {
  return (TEMPLATE_NAMES as readonly string[]).includes(name);
}

/** The texts for the placeholders of a template; empty if there is no value. */
export function templateValues(sources: StatusSources): Readonly<Record<TemplateName, string>> {
  const { engine, cwd, tally, openMs, outputStyle, agent = "", screen } = sources;
  const { messages, usage, costUsd, windowTokens } = engine;
  const last = messages.findLast((message) => message.role === "assistant" && totalInputTokens(message.usage) > 0);
  const used = last?.role === "assistant" ? totalInputTokens(last.usage) + last.usage.outputTokens : 0;
  const isUsed = totalInputTokens(usage) + usage.outputTokens > 0;
  const { addedLines, removedLines } = tally;
  const values: Readonly<Record<TemplateName, string>> = {
    model: modelName(engine.model),
    folder: basename(cwd),
    branch: gitBranch(cwd) ?? "",
    context: used > 0 && windowTokens > 0 ? `${Math.min(100, Math.round((100 * used) / windowTokens))}%` : "",
    cost: isUsed ? formatUsd(costUsd, usage.estimated) : "",
    mode: engine.mode,
    effort: engine.effort ?? "",
    style: outputStyle,
    lines: addedLines + removedLines > 0 ? `+${addedLines} −${removedLines}` : "",
    time: formatSeconds(openMs),
    agent,
    vim: screen.vim ?? "",
  };
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, joinedLines(text)])) as typeof values;
}
