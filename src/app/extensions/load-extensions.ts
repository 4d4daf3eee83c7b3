import { lazy } from "@quoll/async/lazy";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { ContentFolder } from "../../contracts/content-folder.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { EXTENSION_API_VERSION, type ListedExtension } from "../../contracts/extension.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Provider } from "../../contracts/provider.ts";
import type { Tool } from "../../contracts/tool.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { extensionCommand } from "../../services/extensions/extension-command.ts";
import { extensionProvider } from "../../services/extensions/extension-provider.ts";
import { extensionTool } from "../../services/extensions/extension-tool.ts";
import { extensionState } from "../../services/extensions/find-extensions.ts";
import { forgetModules } from "../../services/extensions/io/import-extension.ts";
import { type DrawLine, lineRenderer } from "../../services/extensions/line-renderer.ts";
import { loadExtension } from "../../services/extensions/load-extension.ts";
import type { Contribution, ExtensionFacts } from "../../services/extensions/registrar.ts";
import type { FaultyCode } from "../../services/extensions/within-time.ts";
import { VENDOR_NAMES } from "../../services/provider/vendors.ts";
import { type ChosenExtension, chosenExtensions, type ExtensionEnvironment } from "./chosen-extensions.ts";
import { ExtensionFaults } from "./extension-faults.ts";
import { extensionHooks } from "./extension-hooks.ts";
import { PrintedText } from "./printed-text.ts";
import { RunningCode } from "./running-code.ts";
import type { OpenExtensions, OpeningExtensions } from "./session-extensions.ts";

const MAX_NAME_COLUMNS = 60;
const MAX_STATUS_PARTS = 4;

type Loaded = {
  readonly extension: ChosenExtension;
  /** Its code, whose faults are kept for lists. */
  readonly code: FaultyCode;
  readonly parts: Contribution | undefined;
};

/** Loads extensions in parallel. A faulty extension is reported in one line and does not end the session. */
export async function loadExtensions(
  folders: readonly ContentFolder<"extension">[],
  environment: ExtensionEnvironment,
  opening: OpeningExtensions,
): Promise<OpenExtensions> {
  const { clock, version, closers, notify } = opening;
  const { chosen, unapproved, problems } = await chosenExtensions(folders, environment);
  for (const problem of problems) notify(problem);
  const running = new RunningCode(opening);
  closers.defer(() => running.close());
  const faults = new ExtensionFaults(notify, running);
  const printed = new PrintedText(opening.hasScreen, faults);
  if (chosen.length > 0) {
    closers.defer(faults.watch(chosen));
    closers.defer(running.hold((text, extension) => printed.add(text, extension)));
  }
  const facts = {
    apiVersion: EXTENSION_API_VERSION,
    quollVersion: version,
    projectRoot: environment.project.root,
  } as const;
  for (const { folder } of folders) forgetModules(realPathOrSelf(folder));
  const states = new Map(chosen.map((one) => [one, extensionState(one)]));
  const loaded = await Promise.all(chosen.map((one) => loadOne(one, { clock, facts, faults, running })));
  const tools = toolsOf(loaded, faults);
  const working = loaded.filter((one): one is Working => one.parts !== undefined);
  const statusParts = working.flatMap((one) => one.parts.statusParts).slice(0, MAX_STATUS_PARTS);
  const renderers = renderersOf(working, faults);
  const isOff = environment.hasManagedHooksOnly;
  if (isOff)
    for (const { extension, parts } of working)
      if (parts.handlers.length > 0)
        faults.report(extension, "its event handlers are off, because settings disable hooks");
  const handlers = isOff ? [] : working.flatMap((one) => one.parts.handlers);
  return {
    tools,
    hooks: isOff ? undefined : extensionHooks(working, faults),
    fileMatchers: handlers.flatMap(({ event, options }) => (event === "FileChanged" ? (options.matcher ?? []) : [])),
    commands: (cwd) => working.map((one) => commandsOf(one, cwd)),
    shadowed: (shown, command) => {
      const owner = chosen.find((one) => one.shown === shown);
      const problem = `its command /${command} is left out, because another /${command} exists`;
      return owner ? faults.note(owner, problem) : problem;
    },
    providers: providersOf(working, faults),
    statusTexts: () => statusParts.map(({ text }) => text).filter((text) => text !== ""),
    onStatus: (changed) => {
      for (const part of statusParts) part.onChanged(changed);
    },
    renderer: (language) => renderers.get(language),
    view: {
      list: () => [
        ...loaded.map((one) => listed(one, tools, faults)),
        ...unapproved.map((extension) => ({
          ...listed({ extension }, [], faults),
          isUnapproved: true as const,
        })),
      ],
    },
    models: modelsOf(working),
    noticeChanges: () => mentionChanges(states, faults, opening),
    savedAs: (sessionId) => running.savedAs(sessionId),
    notifyThrough: (notify) => faults.notifyThrough(notify),
    logBy: (log) => printed.logBy(log),
  };
}

type LoadingOne = {
  readonly clock: Clock;
  readonly facts: ExtensionFacts;
  readonly faults: ExtensionFaults;
  readonly running: RunningCode;
};

/** Loads one extension. If loading fails, the person is told. */
async function loadOne(extension: ChosenExtension, { clock, facts, faults, running }: LoadingOne): Promise<Loaded> {
  const code = { clock, code: running.of(extension), fault: (line: string) => void faults.note(extension, line) };
  try {
    const parts = await running.load(extension, () => loadExtension(extension, { ...code, facts }));
    return { extension, code, parts };
  } catch (error) {
    faults.report(extension, `${errorMessage(error)}. No part of it takes effect.`);
    return { extension, code, parts: undefined };
  }
}

/** @param states The states of the files when they were loaded, or at the last call. */
function mentionChanges(
  states: Map<ChosenExtension, string>,
  faults: ExtensionFaults,
  { hasScreen }: Pick<OpeningExtensions, "hasScreen">,
): void {
  const how = hasScreen ? "/extensions reload loads it" : "the next start loads it";
  for (const [extension, before] of states) {
    const now = extensionState(extension);
    if (now !== before) faults.mention(extension, `its file has changed: ${how}`);
    states.set(extension, now);
  }
}

/** The tools by extension. Of two tools with the same name, the first is used. */
function toolsOf(loaded: readonly Loaded[], faults: ExtensionFaults) {
  const taken = new Map<string, string>();
  return loaded.flatMap(({ extension, code, parts }) => {
    const tools: Tool[] = [];
    for (const definition of parts?.tools ?? []) {
      const key = definition.name.toLowerCase();
      const owner = taken.get(key);
      if (owner !== undefined) {
        faults.report(
          extension,
          `its tool ${definition.name} is left out, because ${owner === extension.shown ? "it has another" : `the extension ${owner} has a`} tool of this name`,
        );
        continue;
      }
      taken.set(key, extension.shown);
      tools.push(
        extensionTool(definition, {
          extension: oneLine(extension.name, MAX_NAME_COLUMNS),
          isOfPerson: extension.origin === "user",
          ...code,
          checker: inputCheckerOnce,
        }),
      );
    }
    return tools.length === 0 ? [] : [{ extension: extension.shown, tools }];
  });
}

/** An extension that was loaded without a fault. */
type Working = Loaded & { readonly parts: Contribution };

/** Of two renderers for the same language, the first is used. */
function renderersOf(working: readonly Working[], faults: ExtensionFaults): ReadonlyMap<string, DrawLine> {
  const found = new Map<string, DrawLine>();
  for (const { extension, code, parts } of working)
    for (const renderer of parts.renderers) {
      const { language } = renderer;
      const fault = (line: string) => faults.report(extension, line);
      if (found.has(language)) fault(`its renderer of ${language} is left out, because another one exists`);
      else found.set(language, lineRenderer(renderer, { ...code, fault }));
    }
  return found;
}

/** Of two providers with the same name, the first is used; Quoll's own providers take precedence. */
function providersOf(working: readonly Working[], faults: ExtensionFaults): ReadonlyMap<string, Provider> {
  const found = new Map<string, Provider>();
  for (const { extension, code, parts } of working)
    for (const definition of parts.providers) {
      const { name } = definition;
      const isTaken = found.has(name) || name === "offline" || VENDOR_NAMES.includes(name);
      if (isTaken) faults.report(extension, `its provider ${name} is left out, because another ${name} exists`);
      else found.set(name, extensionProvider(definition, code));
    }
  return found;
}

/** The models that extensions name, in the form in which they are chosen: `echo/loud`. */
function modelsOf(working: readonly Working[]): readonly string[] {
  const names = working.flatMap(({ parts }) =>
    parts.providers.flatMap(({ name, models = [] }) => models.map((model) => `${name}/${model}`)),
  );
  return [...new Set(names)];
}

function commandsOf({ extension, code, parts }: Working, cwd: () => string) {
  const { shown } = extension;
  const made = parts.commands.map((definition) =>
    extensionCommand(definition, {
      name: commandName(definition.name, extension),
      extension: shown,
      ...code,
      cwd,
    }),
  );
  return { extension: shown, commands: made };
}

const inputCheckerOnce = lazy(async () => {
  const [{ AjvJsonSchemaValidator }, { inputChecker }] = await Promise.all([
    import("@modelcontextprotocol/sdk/validation/ajv"),
    import("../../services/mcp/tools/input-checker.ts"),
  ]);
  return inputChecker(new AjvJsonSchemaValidator());
});

function listed(
  { extension, parts }: Pick<Loaded, "extension"> & Partial<Loaded>,
  tools: OpenExtensions["tools"],
  faults: ExtensionFaults,
): ListedExtension {
  const { name, shown } = extension;
  const own = tools.filter((one) => one.extension === shown).flatMap((one) => one.tools);
  return {
    name: oneLine(name, MAX_NAME_COLUMNS),
    file: shown,
    origin: originWords(extension),
    isOn: parts !== undefined,
    adds: [
      ...named(
        "tools",
        own.map(({ spec }) => spec.name),
      ),
      ...named(
        "commands",
        parts?.commands.map((command) => `/${commandName(command.name, extension)}`),
      ),
      ...named(
        "providers",
        parts?.providers.map((provider) => provider.name),
      ),
      ...named(
        "renderers",
        parts?.renderers.map(({ language }) => language),
      ),
      ...((parts?.statusParts.length ?? 0) > 0 ? ["a part of the status line"] : []),
      ...named(
        "events",
        parts?.handlers.map(({ event }) => event),
      ),
    ],
    faults: faults.of(extension),
  };
}

function named(what: string, names: readonly string[] = []): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${[...new Set(names)].join(", ")}`];
}

function commandName(name: string, { plugin }: ChosenExtension): string {
  return plugin === undefined ? name : `${plugin}:${name}`;
}

function originWords({ origin, plugin }: ChosenExtension): string {
  if (plugin !== undefined) return `plugin ${oneLine(plugin, MAX_NAME_COLUMNS)}`;
  return origin === "user" ? "yours" : "project";
}
