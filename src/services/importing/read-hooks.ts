import { entriesOf, type ImportLine, item, leftOut, objectOf, shown, textOf } from "./import-line.ts";

/** Matchers of events that name no tool. */
const TOOL_EVENTS: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
]);
const ANY_MATCHER = /^\*?$/;
const MAX_SHOWN_CHARS = 80;

/**
 * Reads `hooks` in the form that Claude Code uses: events, each with matchers, each with hooks.
 * @param hasOtherTools True if the tools of the program have other names: a matcher would not match ours.
 */
export function readHooks(hooks: unknown, hasOtherTools = false): readonly ImportLine[] {
  return entriesOf(hooks).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group) => {
      const { matcher = "", hooks: list } = objectOf(group);
      return (Array.isArray(list) ? list : []).map((hook) => {
        const read = `hooks.${event}${matcher === "" ? "" : ` (${shown(matcher)})`}: ${shownHook(hook)}`;
        if (hasOtherTools && TOOL_EVENTS.has(event) && !ANY_MATCHER.test(shown(matcher)))
          return leftOut(read, "its matcher names tools by other names than Quoll's");
        return item(["hooks", event], { ...(matcher !== "" && { matcher }), hooks: [hook] }, read);
      });
    }),
  );
}

function shownHook(hook: unknown): string {
  const { command, url, prompt, type } = objectOf(hook);
  const text = textOf(command) ?? textOf(url) ?? textOf(prompt) ?? shown(type);
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
