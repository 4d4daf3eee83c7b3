import { basename } from "node:path";
import { formatSeconds, formatUsd } from "@quoll/terminal-text/format-amount";
import { joinedLines } from "@quoll/terminal-text/one-line";
import { totalInputTokens } from "../../contracts/message.ts";
import type { TemplateName } from "../../contracts/status-line.ts";
import { gitBranch } from "../../platform/git-head.ts";
import { modelName } from "./model-name.ts";
import type { StatusSources } from "./status-facts.ts";

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
