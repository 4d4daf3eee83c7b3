import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { settingsSchemaText } from "../../src/services/config/settings-schema-text.ts";
import { consentPage } from "./consent-table.ts";
import { withContents } from "./contents.ts";
import { CONTINUATIONS_END, CONTINUATIONS_START, continuationTable } from "./continuation-table.ts";
import { CONTROL_END, CONTROL_START, controlTable } from "./control-table.ts";
import { deepTestsPage } from "./deep-tests-page.ts";
import { ENTRIES_END, ENTRIES_START, entryTable } from "./entry-table.ts";
import { EVENTS_END, EVENTS_START, eventTable } from "./event-table.ts";
import { guidePagesText } from "./guide-pages.ts";
import { HOOKS_END, HOOKS_START, hookEventTable } from "./hook-event-table.ts";
import { inputSchemasText } from "./input-schemas.ts";
import { keysPage } from "./keys-page.ts";
import { limitsPage } from "./limits-page.ts";
import { formsGuide, GUIDE_END, GUIDE_START } from "./offline-forms.ts";
import { optionsPage } from "./options-page.ts";
import { settingsPage } from "./settings-page.ts";
import { STOP_KEYS_END, STOP_KEYS_START, stopKeyTable } from "./stop-key-table.ts";
import { commandsPage, toolsPage } from "./surface-pages.ts";

export const ROOT = join(import.meta.dir, "../..");

/** A file, by its path from the repository root, and its expected text. */
export type GeneratedFile = { readonly path: string; readonly text: string };

/** No list of chapters here: decisions are one page each, and a list of all deep tests would be as long as their page. */
const WITHOUT_CONTENTS = /^docs\/(adr\/|deep-tests\.md)/;

/** All files that are generated from the code, in whole or in part, and every long page with links to its chapters. */
export function generatedFiles(): readonly GeneratedFile[] {
  const files = new Map(fromCode().map(({ path, text }) => [path, text]));
  for (const path of [...new Glob("docs/**/*.md").scanSync({ cwd: ROOT })].sort()) {
    if (!WITHOUT_CONTENTS.test(path)) files.set(path, withContents(files.get(path) ?? readRequired(path)));
  }
  return [...files].map(([path, text]) => ({ path, text }));
}

function fromCode(): readonly GeneratedFile[] {
  const protocol = "docs/protocol.md";
  const offline = "docs/guide/offline.md";
  const hooks = "docs/guide/hooks.md";
  const terminal = "docs/guide/terminal.md";
  const events = withPart(protocol, readRequired(protocol), EVENTS_START, EVENTS_END, eventTable());
  const told = withPart(protocol, events, CONTINUATIONS_START, CONTINUATIONS_END, continuationTable());
  const control = withPart(protocol, told, CONTROL_START, CONTROL_END, controlTable());
  return [
    { path: "docs/guide/reference/options.md", text: optionsPage() },
    { path: "docs/guide/reference/commands.md", text: commandsPage() },
    { path: "docs/guide/reference/tools.md", text: toolsPage() },
    { path: "docs/guide/reference/settings.md", text: settingsPage() },
    { path: "docs/guide/reference/consent.md", text: consentPage() },
    { path: "docs/guide/reference/limits.md", text: limitsPage((path) => readRequired(path)) },
    { path: "docs/guide/reference/keys.md", text: keysPage() },
    { path: "docs/deep-tests.md", text: deepTestsPage() },
    { path: "docs/guide/settings.schema.json", text: settingsSchemaText() },
    { path: "src/services/agents/guide-pages.ts", text: guidePagesText(ROOT) },
    { path: "src/services/tools/input-schemas.json", text: inputSchemasText() },
    { path: protocol, text: withPart(protocol, control, ENTRIES_START, ENTRIES_END, entryTable()) },
    { path: offline, text: withPart(offline, readRequired(offline), GUIDE_START, GUIDE_END, formsGuide()) },
    { path: hooks, text: withPart(hooks, readRequired(hooks), HOOKS_START, HOOKS_END, hookEventTable()) },
    {
      path: terminal,
      text: withPart(terminal, readRequired(terminal), STOP_KEYS_START, STOP_KEYS_END, stopKeyTable()),
    },
  ];
}

/** The current text of a file; undefined if there is no such file. */
export function storedText(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Replaces the text from the start marker to the end marker by `part`, which includes both markers.
 * @throws {Error} `text` lacks a marker, or has the markers in the wrong order.
 */
export function withPart(path: string, text: string, start: string, end: string, part: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path} has no part from "${start}" to "${end}": add both lines.`);
  return text.slice(0, from) + part + text.slice(to + end.length);
}

function readRequired(path: string): string {
  const text = storedText(path);
  if (text === undefined) throw new Error(`${path} is missing: create the page for its generated part.`);
  return text;
}
