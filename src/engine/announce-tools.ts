import { TOOL_CALL, TOOL_SEARCH } from "../contracts/call-target.ts";

/** The maximum number of characters for names; a search finds the tools that are not named. */
const MAX_NAMES_CHARS = 6_000;
const SERVER_TOOL = /^(mcp__.+?__)(.+)$/;
const BUILT_IN = "";

/**
 * Lists the names of deferred tools for the model, one line for each server.
 * @param isMore True if other tools were announced before.
 */
export function announceTools(names: readonly string[], isMore: boolean): string {
  const groups = Map.groupBy(names, (name) => SERVER_TOOL.exec(name)?.[1] ?? BUILT_IN);
  const share = Math.floor(MAX_NAMES_CHARS / groups.size);
  const lines = [...groups].map(([prefix, own]) => {
    const listed = own.map((name) => name.slice(prefix.length));
    return `${prefix === BUILT_IN ? "" : `${prefix}*: `}${cutList(listed, share)}`;
  });
  const head = isMore
    ? `More tools can be used now: ${TOOL_SEARCH} shows them, ${TOOL_CALL} calls them.`
    : `These tools can be used too, but their descriptions are not loaded. ${TOOL_SEARCH} shows what they take, ${TOOL_CALL} calls them. The full name of \`b\` below \`mcp__a__*\` is \`mcp__a__b\`.`;
  return `<more-tools>\n${head}\n${lines.join("\n")}\n</more-tools>`;
}

function cutList(names: readonly string[], maxChars: number): string {
  const kept: string[] = [];
  let chars = 0;
  for (const name of names) {
    chars += name.length + 2;
    if (chars > maxChars) break;
    kept.push(name);
  }
  const left = names.length - kept.length;
  if (left === 0) return kept.join(", ");
  return `${kept.map((name) => `${name}, `).join("")}and ${left} more`;
}
