import { expect, test } from "bun:test";
import { sourceFiles, textOf } from "./house-rules.ts";

/**
 * An object that takes over all parts of another one: `{ ...parts, main }`. A reader can't see which parts go on, and who made
 * them (docs/adr/0034-sessions-with-named-parts.md).
 */
const BAG =
  /\.\.\.(?:this\.#)?(?:\w+\.)*(?:access|agent|app|asks|checkpointing|chosen|connecting|context|deps|environment|files|log|main|opened|opening|parts|ports|props|records|resumed|session|shared|telemetry|told|toolPorts|wiring)(?![\w.([])/g;
/** What follows the last name of a destructuring, which takes an object apart. */
const TAKEN_APART = /^\s*\}\s*(?::|=[^=]|\)\s*=>)/;

/** Here the word means plain data: a record, a definition, a row of a list, a schema, a line of settings. */
const DATA: readonly string[] = [
  "src/app/agent/agent-store.ts: ...agent",
  "src/app/agent/check-tool-lists.ts: ...agent",
  "src/app/plugins/live-plugins.ts: ...opened",
  "src/app/session/project-environment.ts: ...files",
  "src/app/session/saved/placed-sessions.ts: ...session",
  "src/cli/doctor/check-model.ts: ...chosen",
  "src/cli/sessions/sessions-command.ts: ...session",
  "src/engine/compact.ts: ...chosen",
  "src/engine/turn-room.ts: ...chosen",
  "src/engine/turn.ts: ...this.models.chosen",
  "src/faces/headless/permission-bridge.ts: ...told",
  "src/faces/repl/markdown/render-blocks.ts: ...context",
  "src/faces/repl/plain/plain-screen.ts: ...context",
  "src/faces/repl/plain/tab-completion.ts: ...context",
  "src/faces/repl/plain/tab-completion.ts: ...files",
  "src/faces/repl/repl-controller.ts: ...this.#questions.context",
  "src/faces/repl/repl-controller.ts: ...this.#suggestions.context",
  "src/faces/repl/repl-controller.ts: ...this.#vim.context",
  "src/faces/repl/repl-state.ts: ...opened",
  "src/protocol/transcript/reduce.ts: ...context",
  "src/services/importing/read-codex.ts: ...shared",
  "src/services/importing/read-codex.ts: ...shared",
  "src/services/importing/read-gemini.ts: ...shared",
  "src/services/mcp/config/server-config.ts: ...shared",
  "src/services/mcp/config/server-config.ts: ...shared",
  "src/services/mcp/config/server-config.ts: ...shared",
  "src/services/mcp/prompts/complete-value.ts: ...context",
  "src/services/permission/call-authorizer.ts: ...opened",
  "src/services/permission/rules/compile-rules.ts: ...context",
  "src/services/permission/rules/compile-rules.ts: ...shared",
  "src/services/permission/rules/compile-rules.ts: ...shared",
  "src/services/permission/rules/rule-book.ts: ...this.#context",
  "src/services/provider/request/failure.ts: ...context",
  "src/services/provider/request/network-failure.ts: ...context",
  "src/services/provider/request/network-failure.ts: ...context",
  "src/services/session/session-log.ts: ...told",
  "src/services/tasks/task-registry.ts: ...agent",
  "src/services/tools/bash/command-subjects.ts: ...context",
  "src/services/tools/bash/command-subjects.ts: ...context",
  "src/services/tools/bash/found-files.ts: ...context",
  "src/services/tools/bash/found-files.ts: ...context",
  "src/services/tools/bash/found-files.ts: ...files",
  "src/services/tools/bash/searched-secrets.ts: ...context",
];

/** A screen adds its own views to those of the session; each command takes the views that it needs by name. */
const VIEWS: readonly string[] = [
  "src/cli/session/screen-services.ts: ...context",
  "src/protocol/open-session-port.ts: ...context",
];

/** The spreads of bags in object literals; spreads in lists and in calls copy the elements of a list. */
function spreadBags(text: string): readonly string[] {
  return [...text.matchAll(BAG)].flatMap((match) => {
    const isObject = openBracket(text.slice(0, match.index)) === "{";
    return isObject && !TAKEN_APART.test(text.slice(match.index + match[0].length)) ? [match[0]] : [];
  });
}

/** The bracket that is open at the end of a text. */
function openBracket(before: string): string | undefined {
  let closed = 0;
  for (const char of [...before].toReversed()) {
    if (")]}".includes(char)) closed += 1;
    else if ("([{".includes(char) && closed-- === 0) return char;
  }
  return undefined;
}

test("parts are passed by name: no object takes over all parts of another", () => {
  const sources = sourceFiles().filter((file) => file.startsWith("src/"));
  const found = sources.flatMap((file) => spreadBags(textOf(file)).map((spread) => `${file}: ${spread}`));
  expect(found.sort()).toEqual([...DATA, ...VIEWS].sort());
});

test("a spread of a bag in an object is found; lists, and objects that are taken apart, are not", () => {
  const text =
    "const { b, ...deps } = a; const c = { d: [...parts], ...this.#deps, e }; f([...ports], { ...deps.g, ...g.deps });";
  expect(spreadBags(text)).toEqual(["...this.#deps", "...g.deps"]);
});
