import { dirname, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { errorMessage } from "../../contracts/errors.ts";
import type { EngineEvent, EventEnvelope } from "../../contracts/event.ts";
import type { LabelledLog } from "../../contracts/session.ts";
import type { ProjectConfig, SessionConfig } from "../../contracts/session-config.ts";
import type { StatusLineSettings } from "../../contracts/settings.ts";
import type { StatusLine, StatusLineScreen, StatusLineState } from "../../contracts/status-line.ts";
import type { Environment } from "../../platform/env.ts";
import type { LoadedSettings } from "../../services/config/load-settings.ts";
import { promptTitle } from "../../services/session/list-sessions.ts";
import { statusLineApprovable } from "../../services/trust/status-line-approvable.ts";
import type { Delegation } from "../agent/delegation.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { ModelAccess } from "../model-access.ts";
import type { App } from "../open-app.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { fillTemplate, templateValues, unknownNames } from "./fill-template.ts";
import { lineOf, type WrittenLine } from "./project-status-line.ts";
import { RepeatedRun } from "./repeated-run.ts";
import { commandRunner } from "./run-status-line.ts";
import { NO_TALLY, type SessionTally, tallied } from "./session-tally.ts";
import { type StatusSources, statusFacts } from "./status-facts.ts";

/** Events of the main conversation after which the lines are rebuilt. */
const CAUSES: ReadonlySet<EngineEvent["type"]> = new Set([
  "assistant_message",
  "turn_finished",
  "mode_changed",
  "model_changed",
  "compacted",
  "conversation_changed",
]);
const MAX_PROBLEM_COLUMNS = 300;
const USUAL_SCREEN: StatusLineScreen = { columns: 80, rows: 24 };
const DEFAULT_STYLE = "default";

export type StatusLineParts = {
  readonly app: Pick<App, "clock" | "version">;
  readonly config: Pick<SessionConfig, "isBare">;
  readonly conversation: {
    readonly log: Pick<LabelledLog, "name">;
    /** Empty when the session is not saved. */
    readonly transcriptPath: string;
  };
  readonly environment: ProjectEnvironment;
  readonly main: Pick<Agent, "engine" | "workspace">;
  readonly access: Pick<ModelAccess, "rateLimits">;
  /** The variables that commands inherit. */
  readonly hooks: { readonly environment: Environment };
  readonly delegation: Pick<Delegation, "main">;
  readonly agents: Pick<SessionAgents, "subscribe">;
};

/** The status line of a session's settings, which runs while the session is open. */
export class SessionStatusLine implements StatusLine {
  readonly #parts: StatusLineParts;
  readonly #openedAt: number;
  readonly #listeners = new Set<() => void>();
  readonly #runs: RepeatedRun;
  readonly #ended = new AbortController();
  readonly #unsubscribe: () => void;
  #command: ReturnType<typeof commandRunner> | undefined;
  #tally: SessionTally = NO_TALLY;
  #screen: StatusLineScreen;
  #chosen: ChosenStatusLine | undefined;
  #lines: readonly string[] = [];
  #problem: string | undefined;
  #title: string | undefined;

  constructor(parts: StatusLineParts, screen: StatusLineScreen = USUAL_SCREEN) {
    const { clock } = parts.app;
    this.#parts = parts;
    this.#screen = screen;
    this.#openedAt = clock.monotonicMs();
    this.#runs = new RepeatedRun({
      clock,
      run: (signal) => this.#run(signal),
      refreshMs: () => {
        const seconds = this.#chosen?.settings.refreshInterval;
        return seconds === undefined ? undefined : 1_000 * seconds;
      },
    });
    this.#unsubscribe = parts.agents.subscribe((envelope) => this.#takeEvent(envelope));
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  look(screen: StatusLineScreen): void {
    const { columns, rows, vim } = this.#screen;
    if (screen.columns === columns && screen.rows === rows && screen.vim === vim) return;
    this.#screen = screen;
    this.#runs.changed();
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes the lines now. */
  async refresh(): Promise<void> {
    await this.#runs.now();
  }

  async state(): Promise<StatusLineState> {
    const { environment } = this.#parts;
    const { chosen, problems } = this.#choose();
    const failed = chosen && this.#problem !== undefined ? [`The last run showed nothing: ${this.#problem}.`] : [];
    return {
      ...(chosen && { source: { type: chosen.type, text: chosen.text, file: chosen.file } }),
      lines: this.#lines,
      problems: [...problems, ...failed],
      settingsFile: environment.userSettingsFile,
      folder: join(dirname(environment.userSettingsFile), "status-line"),
    };
  }

  /** Resolves when no process of the status line is running. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#ended.abort(new Error("The session has ended."));
    this.#listeners.clear();
    await this.#runs.close();
  }

  #takeEvent(envelope: EventEnvelope): void {
    this.#tally = tallied(this.#tally, envelope);
    if (envelope.parentAgentId === null && CAUSES.has(envelope.event.type)) this.#runs.changed();
  }

  #choose() {
    const { environment, config } = this.#parts;
    return chosenStatusLine(environment.live.loaded, config, environment);
  }

  async #run(signal: AbortSignal): Promise<void> {
    await this.#parts.environment.live.refresh();
    const { chosen } = this.#choose();
    this.#chosen = chosen;
    try {
      const result = chosen ? await this.#make(chosen, signal) : { output: "" };
      if (signal.aborted) return;
      this.#problem = "problem" in result ? oneLine(result.problem, MAX_PROBLEM_COLUMNS) : undefined;
      const indent = " ".repeat(chosen?.settings.padding ?? 0);
      const lines = "problem" in result ? [] : cleanLines(result.output).map((line) => indent + line);
      this.#show(lines);
    } catch (error) {
      if (signal.aborted) return;
      this.#problem = oneLine(errorMessage(error), MAX_PROBLEM_COLUMNS);
      this.#show([]);
    }
  }

  async #make({ type, text, isOfProject }: ChosenStatusLine, signal: AbortSignal) {
    const sources = this.#sources();
    if (type === "template") return { output: fillTemplate(text, templateValues(sources)) };
    const { environment, main, hooks, app, access, conversation } = this.#parts;
    const { project, workspace, settings } = environment;
    this.#command ??= commandRunner({
      environment: hooks.environment,
      passedVariables: settings.passedVariables,
      projectRoot: project.root,
      clock: app.clock,
      isInProject: (file) => workspace.contains(file),
      ended: this.#ended.signal,
    });
    // The approval of a project's command covers the files that its relative paths name below the project root.
    const cwd = isOfProject ? project.root : main.workspace.cwd;
    if (conversation.transcriptPath !== "") this.#title ??= promptTitle(conversation.transcriptPath);
    const facts = statusFacts({
      ...sources,
      rateLimits: await access.rateLimits.list(),
      title: conversation.log.name ?? this.#title,
    });
    return this.#command({ command: text, facts, screen: this.#screen, cwd }, signal);
  }

  #sources(): StatusSources {
    const { app, environment, main, conversation, delegation } = this.#parts;
    const { project, settings } = environment;
    const { workspace, engine } = main;
    return {
      engine: engine.state,
      version: app.version,
      transcriptPath: conversation.transcriptPath,
      cwd: workspace.cwd,
      projectRoot: project.root,
      trustRoot: project.trustRoot,
      addedFolders: workspace.roots.slice(1),
      outputStyle: settings.outputStyle ?? DEFAULT_STYLE,
      agent: delegation.main?.name,
      tally: this.#tally,
      openMs: app.clock.monotonicMs() - this.#openedAt,
      screen: this.#screen,
    };
  }

  #show(lines: readonly string[]): void {
    if (lines.length === this.#lines.length && lines.every((line, at) => line === this.#lines[at])) return;
    this.#lines = lines;
    for (const listener of this.#listeners) listener();
  }
}

const MAX_STATUS_LINES = 3;
/** The maximum number of characters of one line, including its colours. */
const MAX_LINE_CHARS = 4_000;
/** Matches colours and styles, and links to web pages (OSC 8), which are kept. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one.
const KEPT = /\u001b\[[\d;:]*m|\u001b\]8;[^;\u0007\u001b]*;(?:https?:\/\/[!-~]*)?(?:\u0007|\u001b\\)/g;
const RESET = "\u001b[0m";
const END_LINK = "\u001b]8;;\u001b\\";

/** The first lines of a program's output: colours, styles and links stay, all other control sequences are dropped. */
export function cleanLines(output: string): readonly string[] {
  const lines = output.replace(/\r\n?/g, "\n").trimEnd().split("\n").slice(0, MAX_STATUS_LINES);
  return lines.join("") === "" ? [] : lines.map((line) => cleanLine(line.slice(0, MAX_LINE_CHARS)));
}

function cleanLine(line: string): string {
  const kept = line.match(KEPT) ?? [];
  const texts = line.split(KEPT).map(plainText);
  const clean = texts.map((text, at) => text + (kept[at] ?? "")).join("");
  const isLinkOpen = kept.findLast((one) => one.startsWith("\u001b]"))?.includes("http") === true;
  const isStyled = kept.some((one) => one.endsWith("m"));
  return `${clean}${isLinkOpen ? END_LINK : ""}${isStyled ? RESET : ""}`;
}

/** The status line setting that takes effect. */
type ChosenStatusLine = WrittenLine & {
  readonly settings: StatusLineSettings;
  readonly file: string;
  readonly isOfProject: boolean;
};

type StatusLineEnvironment = Pick<ProjectEnvironment, "project" | "isTrusted" | "approvals">;

/**
 * The status line of the highest layer that has one and may set it: a project's is used in a trusted folder, and its
 * command only if the person approved its current content. If only the administrator's hooks run, only the
 * administrator's status line runs.
 * @returns `problems`: one line for each setting that has no effect.
 */
function chosenStatusLine(
  loaded: Pick<LoadedSettings, "layers" | "hasManagedHooksOnly">,
  { isBare }: Pick<ProjectConfig, "isBare">,
  environment: StatusLineEnvironment,
): { readonly chosen: ChosenStatusLine | undefined; readonly problems: readonly string[] } {
  const problems: string[] = [];
  for (const { name, value, file } of loaded.layers.toReversed()) {
    if (!value.statusLine || (isBare && name !== "managed" && name !== "settings-flag")) continue;
    const line = lineOf(value.statusLine);
    const isOfProject = name === "project";
    const obstacle = !line
      ? "it has neither a command nor a template"
      : loaded.hasManagedHooksOnly && name !== "managed"
        ? "the settings disable commands of this kind (disableAllHooks or allowManagedHooksOnly)"
        : isOfProject
          ? projectObstacle(line, file, environment)
          : undefined;
    const unknown = line?.type === "template" ? unknownNames(line.text) : [];
    if (line && obstacle === undefined) {
      if (unknown.length > 0) problems.push(`${file}: the template has unknown names: ${unknown.join(", ")}.`);
      return { chosen: { ...line, settings: value.statusLine, file, isOfProject }, problems };
    }
    problems.push(`${file}: its statusLine has no effect, because ${obstacle}.`);
  }
  return { chosen: undefined, problems };
}

function projectObstacle(
  { type, text }: WrittenLine,
  file: string,
  environment: StatusLineEnvironment,
): string | undefined {
  if (!environment.isTrusted) return "this folder is not trusted";
  if (type === "template") return undefined;
  const state = environment.approvals.state(statusLineApprovable(text, file, environment.project.root));
  if (state === "approved") return undefined;
  return state === "changed" ? "it has changed since you approved it" : "you have not approved it";
}
