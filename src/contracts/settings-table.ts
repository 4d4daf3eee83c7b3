import { HOOKS_BY_EVENT } from "./hook-settings.ts";
import type { InstructionFamily } from "./instructions.ts";
import { PERMISSION_MODES } from "./permission-mode.ts";
import { MODEL, PROVIDER } from "./provider-settings.ts";
import { SEARCH_SERVICES } from "./search-services.ts";
import type { ObjectSetting, Setting } from "./setting.ts";
import type { SpendSource } from "./spend.ts";
import { TEMPLATE_NAMES } from "./status-line.ts";
import { FILE_LINKS, NOTIFICATION_FORMS, SCREEN_SETTINGS } from "./terminal-settings.ts";

export const TELEMETRY_SIGNALS = ["traces", "metrics", "logs"] as const;
export const TELEMETRY_PROTOCOLS = ["http/protobuf", "http/json"] as const;

const FLAG = { type: "boolean" } as const;
const TEXT = { type: "text" } as const;
const TEXTS = { type: "list", of: TEXT } as const;
const PATHS = { type: "list", of: { type: "path" } } as const;
const NAME = { type: "text", min: 1 } as const;
const COUNT = { type: "integer", min: 1 } as const;
const AMOUNT = { type: "integer", min: 0 } as const;
const PERCENT = { type: "integer", min: 1, max: 100 } as const;
const DAYS = { type: "integer", min: 1, max: 100_000 } as const;
const MEGABYTES = { type: "integer", min: 1, max: 100_000_000 } as const;
const SETS = { trusted: "sets {key} to {}" } as const;
/** Each file, also a project's, can only lower a cap. */
const USD = { type: "number", min: 0, project: "now", merge: "lowest", live: true } as const;
const TOKENS = { type: "integer", min: 0, project: "now", merge: "lowest", live: true } as const;
const BAN = { type: "choice", values: ["disable"], project: "now", live: true } as const;

// biome-ignore format: a table with one key a line
const RULE = {
  type: "object",
  keys: {
    rule: { ...TEXT, required: true },
    match: { ...TEXTS, about: "Calls that the rule must match, such as `npm test -- a.test.ts`" },
    notMatch: { ...TEXTS, about: "Calls that the rule must not match" },
  },
} as const;
const RULES = {
  type: "list",
  of: { type: "either", of: [TEXT, RULE] },
  about: "Rules such as Bash(npm test *) or Edit(/src/**)",
  merge: "apart",
  live: true,
} as const;

const CAPS_OF_SOURCE = {
  type: "object",
  keys: {
    sessionUsd: { ...USD, about: "US dollars per session for this source" },
    dayUsd: { ...USD, about: "US dollars per day for this source" },
  },
} as const;

/** An entry of the administrator's lists of MCP servers: exactly one key. */
const SERVER_RULE = {
  type: "either",
  of: [
    { type: "object", isStrict: true, keys: { serverName: { ...TEXT, required: true } } },
    { type: "object", isStrict: true, keys: { serverCommand: { ...TEXTS, min: 1, required: true } } },
    { type: "object", isStrict: true, keys: { serverUrl: { ...TEXT, required: true } } },
  ],
} as const;

const family = (name: InstructionFamily, files: string) => {
  const words = `the instruction files of the family ${name}`;
  const trusted = { true: `reads ${words}`, false: `leaves out ${words}` };
  return { ...FLAG, project: { trusted }, about: `${files} (default true)` } as const;
};

/** The widest powers of confined commands that a person has agreed to. Paths are absolute. */
// biome-ignore format: a table with one key a line
const AGREED = {
  type: "object",
  keys: {
    writable: { ...TEXTS, required: true, about: "Folders that commands may change" },
    opened: { ...TEXTS, required: true, about: "Stored credentials that commands may read" },
    hosts: { ...TEXTS, required: true, about: "Hosts that commands may reach" },
    sockets: { ...TEXTS, required: true, about: "Sockets that commands may reach" },
    strength: { type: "choice", values: ["full", "weak"], required: true, about: "`weak`: a sandbox by Landlock" },
    closed: { type: "object", about: "Restrictions beyond the defaults at the time of the answer; an answer without this key does not count", keys: {
      read: { ...TEXTS, required: true, about: "Paths in denyRead" },
      write: { ...TEXTS, required: true, about: "Paths in denyWrite" },
      hosts: { ...TEXTS, required: true, about: "Hosts in deniedDomains" },
      rules: { ...TEXTS, required: true, about: "Deny and ask rules about paths, such as `deny Read(./.env)`" },
    } },
  },
} as const;

/** The `statusLine` section, with the names and meanings that Claude Code documents for `command`. */
// biome-ignore format: a table with one key a line
export const STATUS_LINE = {
  type: "object",
  keys: {
    type: { type: "choice", values: ["command", "template"], about: "The source of the lines: `command` or `template` (default: whichever is set)" },
    command: { ...NAME, about: "A shell command that prints up to three lines; it gets facts about the session as JSON ([status line](../status-line.md))" },
    template: { ...NAME, about: `A text with names in braces: ${TEMPLATE_NAMES.map((name) => `\`{${name}}\``).join(", ")}` },
    padding: { type: "integer", min: 0, max: 20, about: "Blanks before each line (default 0)" },
    refreshInterval: { type: "integer", min: 1, max: 86_400, about: "Makes the lines again after so many seconds, also while nothing happens (default: never)" },
  },
} as const;

/**
 * Every key of the settings files, in the order of the reference page. Types, checks, merging, the policy for project
 * files, changes in a running session, safe mode, the JSON Schema and the reference page follow from this table. A key
 * without `project` never counts in a project's file; a key without `live` waits for the next start.
 */
// biome-ignore format: a table with one key a line
export const SETTINGS = {
  type: "object",
  keys: {
    $schema: { ...TEXT, project: "now", merge: "apart" },
    model: { ...NAME, project: { trusted: "chooses the model {}" }, about: "A model id or an alias" },
    maxThinkingTokens: { ...AMOUNT, project: { trusted: "lets the model think with {} tokens" }, about: "Most thinking tokens; 0 turns thinking off. Models that accept no number get the nearest effort" },
    permissions: { type: "object", keys: {
      allow: { ...RULES, project: { trusted: "allows {} without asking" }, safe: "off" },
      ask: { ...RULES, project: "now" },
      deny: { ...RULES, project: "now" },
      // No repository may choose a mode without questions.
      defaultMode: { type: "choice", values: PERMISSION_MODES, project: { trusted: "starts in the mode {}", never: ["auto", "bypassPermissions"] }, safe: { only: ["default", "plan", "dontAsk"] }, about: "The permission mode at the start of a session" },
      additionalDirectories: { ...PATHS, project: { trusted: "adds the folder {} to the workspace" }, safe: "off", about: "More folders that the session may work in" },
      disableBypassPermissionsMode: { ...BAN, about: "Forbids the mode bypassPermissions" },
      disableAutoMode: { ...BAN, about: "Forbids the mode auto" },
      allowManagedPermissionRulesOnly: { ...FLAG, layer: "managed", live: true, about: "In the managed file only: ignore the allow rules of all other layers" },
    } },
    env: { type: "object", about: "Environment variables for commands", keys: {
      pass: { ...TEXTS, about: "Variables that look like credentials but that commands get anyway, such as GH_TOKEN" },
    }, others: { ...TEXT, project: { trusted: "sets {name} for commands", neverNames: "variables that control which programs run or where they connect" }, live: { except: ["PATH"] } } },
    // The names of the keys match those of similar tools.
    sandbox: { type: "object", keys: {
      enabled: { type: "either", of: [FLAG, { type: "choice", values: ["auto"] }], project: { only: true }, about: "`auto` (default): use the sandbox where this machine supports it; `true`: refuse to run commands without it" },
      autoAllowBashIfSandboxed: { ...FLAG, project: { only: false }, merge: "apart", safe: { only: [false] }, about: "`true`: run sandboxed commands without asking; `false` in any layer: always ask (default: ask until you agree)" },
      // Only a person who was asked can agree to this, never a file of the project.
      agreed: { ...AGREED, layer: "own", merge: "apart", safe: "off", about: "Your answer that sandboxed commands run without asking in this project; written by Quoll, revoked with /permissions" },
      allowUnsandboxedCommands: { ...FLAG, project: { only: false }, about: "Lets the model ask to run a command outside the sandbox (default true)" },
      excludedCommands: { ...TEXTS, safe: "off", about: "Commands that run outside the sandbox, under the usual rules, such as `docker *`: allow rules alone take nothing out" },
      failIfUnavailable: { ...FLAG, project: { only: true }, about: "The same as `enabled: true`" },
      network: { type: "object", keys: {
        allowedDomains: { ...TEXTS, about: "Hosts that every command may reach, such as example.com or *.example.com" },
        deniedDomains: { ...TEXTS, project: "now", about: "Hosts that commands may never reach" },
        allowUnixSockets: { ...PATHS, about: "Paths of Unix sockets that commands may use" },
        allowLocalBinding: { ...FLAG, project: { only: false }, about: "Lets commands listen on loopback ports inside the sandbox (default true)" },
      } },
      filesystem: { type: "object", keys: {
        allowWrite: { ...PATHS, about: "More folders that commands may write to" },
        denyWrite: { ...PATHS, project: "now", about: "Paths that commands may not write to" },
        denyRead: { ...PATHS, project: "now", about: "Paths that commands may not read, in addition to stored credentials" },
        allowRead: { ...PATHS, about: "Stored credentials, and secrets of the project, that every command may read, by path" },
      } },
    } },
    destructiveGuard: { type: "choice", values: ["on", "off"], project: { only: "on" }, live: true, about: "Makes a backup before a destructive command (default on)" },
    tools: { type: "object", keys: {
      bashTimeoutMs: { ...COUNT, project: SETS, live: true, about: "Default timeout of a command, in milliseconds" },
      bashMaxTimeoutMs: { ...COUNT, project: SETS, live: true, about: "Longest timeout that a call may ask for, in milliseconds" },
      bashMaxOutputChars: { type: "integer", min: 1_000, project: SETS, live: true, about: "Characters of a command's output that the model gets" },
      // Turns that no person requested cost money, so a project may not set it.
      bashWakes: { ...FLAG, live: true, about: "Begins a turn when a command in the background ends or prints a line that it is watched for, and no turn runs (default false)" },
      defer: { ...TEXT, pattern: /^(?:auto(?::\d{1,3})?|always|never)$/, project: SETS, about: "When the model gets MCP tools by search instead of in each request: `auto` (default) above 10% of the window or 8,000 tokens, `auto:N` above N%, `always`, `never`" },
    } },
    spend: { type: "object", keys: {
      sessionUsd: { ...USD, about: "US dollars per session" },
      dayUsd: { ...USD, about: "US dollars per day, for all sessions together" },
      turnUsd: { ...USD, about: "US dollars per turn" },
      sessionTokens: { ...TOKENS, about: "Tokens per session: input, cache reads and writes, and output" },
      dayTokens: { ...TOKENS, about: "Tokens per day, for all sessions together" },
      turnTokens: { ...TOKENS, about: "Tokens per turn" },
      bySource: { type: "object", keys: {
        main: CAPS_OF_SOURCE, subagent: CAPS_OF_SOURCE, hook: CAPS_OF_SOURCE, compaction: CAPS_OF_SOURCE,
        memory: CAPS_OF_SOURCE, mcp: CAPS_OF_SOURCE, web: CAPS_OF_SOURCE, judge: CAPS_OF_SOURCE,
      } satisfies Record<SpendSource, Setting> },
    } },
    apiKeyHelper: { ...NAME, about: "A command that prints the key for anthropic" },
    apiKeyHelperTtlMs: { ...AMOUNT, about: "Milliseconds for which Quoll reuses a helper's key (default 300000)" },
    // A repository may not redirect requests and keys, name a command to run, or lower a price that a cap uses.
    providers: { type: "map", of: PROVIDER, about: "Model endpoints by name; their models are called name/model" },
    models: { type: "map", of: MODEL, about: "Limits, abilities and prices of models, by id" },
    // A repository may not send telemetry anywhere.
    telemetry: { type: "object", keys: {
      enabled: { ...FLAG, about: "Turns telemetry on (default false)" },
      endpoint: { ...NAME, about: "Address of an OTLP collector, such as http://127.0.0.1:4318; /v1/traces and so on are added" },
      protocol: { type: "choice", values: TELEMETRY_PROTOCOLS, about: "Protocol of the collector (default http/protobuf)" },
      // An endpoint of a higher file must not get the headers of a lower file.
      headers: { type: "map", of: TEXT, merge: "highest", belongsTo: "endpoint", about: "Headers of every request to the collector, such as Authorization" },
      signals: { type: "list", of: { type: "choice", values: TELEMETRY_SIGNALS }, merge: "highest", about: "Signals to send (default all)" },
      content: { ...FLAG, about: "Also sends prompts, answers, tool inputs and tool results, without credentials (default false)" },
    } },
    // Only the person decides about their own terminal: a click may start a program, and an image may be a file.
    terminal: { type: "object", keys: {
      notifications: { type: "either", of: [FLAG, { type: "choice", values: ["auto", ...NOTIFICATION_FORMS] }], about: "Desktop notifications when you are needed: `auto` or true (default) in the form that the terminal knows, `osc9`, `osc777` or `osc99` in this form, `off` or false for none" },
      bell: { ...FLAG, about: "Rings the terminal's bell when you are needed (default: unless `notifications` is off)" },
      notifyAfterSeconds: { type: "integer", min: 0, max: 86_400, about: "The end of a turn that took at least so many seconds is worth a notification (default 20)" },
      title: { ...FLAG, about: "Shows the state of Quoll in the window title (default true)" },
      editorMode: { type: "choice", values: ["plain", "vim"], about: "The keys of the prompt: `plain` as in a shell (default), or `vim`; `/vim` changes it" },
      editor: { ...NAME, live: true, about: "The command that opens drafts and files, such as `code --wait` (default: $VISUAL, else $EDITOR); `/editor` changes it" },
      theme: { ...TEXT, safe: "off", about: "The colours: `auto` (default: by the background of the terminal), `dark`, `light`, another theme of Quoll, or a file's name in the folder `themes` beside the user settings; `/theme` changes it" },
      reducedMotion: { ...FLAG, about: "Signs of running work stand still, and their clocks move every ten seconds (default false)" },
      screen: { type: "choice", values: SCREEN_SETTINGS, about: "How the screen is drawn: `inline` (below the terminal's own history), `full` (on a separate screen), `plain` (lines without redraws, for screen readers), or `auto`: plain with TERM=dumb, CI=1, ACCESSIBLE=1 or CLAUDE_AX_SCREEN_READER=1, else inline (default)" },
      fileLinks: { type: "choice", values: FILE_LINKS, about: "Paths of files as links, in terminals that are known to show links: `file` opens them with the desktop (default), the name of an editor there at the line, `off` shows none" },
      images: { type: "choice", values: ["auto", "never"], about: "Images in the conversation: `auto` shows them in terminals that are known to show images, elsewhere their names (default); `never` shows names only" },
      mouse: { ...FLAG, about: "On a full screen: the mouse wheel scrolls; shift and drag selects text (default true)" },
      ghostText: { ...FLAG, about: "Shows the newest earlier prompt that begins like the draft, dim behind the cursor (default true)" },
      tips: { ...FLAG, about: "Shows one tip about a key or a command in the empty prompt of each long turn, none twice in a session (default true)" },
      // A turn costs money: only the person decides that one starts without a prompt.
      respondToShell: { ...FLAG, live: true, about: "The model answers the output of a command that you type with `!` at once (default: with your next message)" },
      diff: { type: "choice", values: ["auto", "unified", "split"], about: "Changes in questions and in the transcript: `unified`, `split` (old and new side by side), or `auto`, which splits in windows of at least 120 columns if that takes fewer rows (default)" },
    } },
    statusLine: { ...STATUS_LINE, project: { approved: "if trusted; a command if approved, too" }, merge: "apart", live: "yours", safe: "unread", about: "Custom lines below the prompt ([status line](../status-line.md))" },
    compaction: { type: "object", keys: {
      auto: { ...FLAG, project: SETS, about: "Lets Quoll compact a conversation on its own (default true)" },
      model: { ...NAME, project: SETS, about: "The model that writes summaries (default: the session's)" },
      warnPercent: { ...PERCENT, project: SETS, about: "Percentage of the usable window at which the status line begins to warn (default 80)" },
      compactPercent: { ...PERCENT, project: SETS, about: "Percentage at which Quoll compacts on its own (default 90)" },
      stopPercent: { ...PERCENT, project: SETS, about: "Percentage at which Quoll sends nothing more until you compact (default 97)" },
      // A repository may not spend money while nobody works.
      idle: { ...FLAG, about: "Summarises a resting conversation of more than 50,000 tokens shortly before the provider's prompt cache expires; this costs a request that you did not type (default false)" },
      reserveTokens: { ...COUNT, project: SETS, about: "Tokens kept free for the answer (default: the usual output limit, at most 10% of the window); at most half of the window" },
    } },
    recall: { type: "object", keys: {
      // A repository may not show the model content of other sessions.
      otherSessions: { ...FLAG, about: "Lets the model's Recall search earlier sessions of this project, too (default false)" },
    } },
    // A repository may not choose who gets queries and keys.
    webSearch: { type: "object", keys: {
      service: { type: "choice", values: ["provider", ...SEARCH_SERVICES], about: "Who answers WebSearch (default: the provider's own search, else the first service with a key)" },
      baseUrl: { type: "url", about: "The address of your SearXNG, such as https://search.example, or of another server for `service`" },
    } },
    // A repository may not make turns longer than they need be.
    turnBudgetTokens: { ...COUNT, about: "Token budget of every turn, as with `+500k` in a prompt (default: the turn ends when the model is done)" },
    agent: { ...NAME, max: 100, project: { trusted: "has new conversations work as the agent {}" }, safe: "unread", about: "The agent as which new conversations work ([agents](../agents.md#an-agent-as-the-main-conversation))" },
    outputStyle: { ...NAME, max: 100, project: { trusted: "has the model write in the style {}" }, safe: "unread", about: "How the model writes: the name of a file in an output-styles folder (default: `default`)" },
    language: { ...TEXT, pattern: /^[\p{L}\p{M}][\p{L}\p{M} ()-]{0,39}$/u, project: { trusted: "has the model write in {}" }, about: "The language in which the model writes to you, such as `Japanese` (default: yours)" },
    instructions: { type: "object", safe: "unread", about: "Which instruction files Quoll reads, by family; `false` leaves a family out", keys: {
      agents: family("agents", "AGENTS.md, AGENTS.local.md"),
      claude: family("claude", "CLAUDE.md, CLAUDE.local.md, .claude/CLAUDE.md, .claude/rules; ~/.claude"),
      quoll: family("quoll", "QUOLL.md, QUOLL.local.md, .quoll/QUOLL.md, .quoll/rules; ~/.quoll; managed instructions"),
      gemini: family("gemini", "GEMINI.md; ~/.gemini"),
      qwen: family("qwen", "QWEN.md"),
      crush: family("crush", "CRUSH.md, CRUSH.local.md"),
      copilot: family("copilot", ".github/copilot-instructions.md"),
      cursor: family("cursor", ".cursor/rules"),
      codex: family("codex", "~/.codex"),
    } satisfies Record<InstructionFamily, Setting> },
    // A project's files can't enable a person's notes about the project, but may disable them.
    memory: { type: "object", safe: "unread", keys: {
      enabled: { ...FLAG, project: { only: false }, about: "Whether the model gets and may write notes about a project (default true; where no person sees a note, true must be set for writing)" },
      extract: { ...FLAG, project: { only: false }, about: "Whether a model proposes notes from your words after each turn, for a request of its own (default false)" },
    } },
    // A repository may not switch off your own skills.
    skills: { type: "object", safe: "unread", keys: {
      disabled: { ...TEXTS, about: "Names of skills and commands of files that Quoll leaves out" },
    } },
    // More parallel agents spend more, so a project's files can't change the number.
    agents: { type: "object", safe: "unread", keys: {
      maxRunning: { type: "integer", min: 1, max: 200, about: "How many agents work at once; the others wait for their turn (default 10)" },
      exploreModel: { ...NAME, project: { trusted: "has agents of the type Explore use the model {}" }, live: true, about: "The model of the agents of type Explore (default: the session's)" },
      backgroundAfterMs: { ...AMOUNT, live: true, about: "Milliseconds after which an agent that a call waits for moves to the background, in a session with a person (default 120000; 0: never)" },
      stallMs: { ...AMOUNT, live: true, about: "Milliseconds without activity after which a line names an agent (default 60000; 0: never)" },
      timeLimitMs: { ...COUNT, live: true, about: "Milliseconds after which an agent is stopped (default: no limit)" },
      turnLimit: { ...COUNT, live: true, about: "The most model requests of an agent in one task (default: no limit)" },
      tokenLimit: { ...COUNT, live: true, about: "The most tokens that an agent may spend (default: no limit)" },
      usdLimit: { type: "number", above: 0, live: true, about: "The most US dollars that an agent may spend (default: no limit)" },
      wake: { ...FLAG, live: true, about: "Gives the model the answers of the agents in the background at once when all have ended and no turn runs (default: only without a person)" },
      waitMs: { ...AMOUNT, live: true, about: "How long a run without a person waits at its end for agents in the background, in milliseconds (default 600000)" },
      keepInProject: { ...FLAG, about: "Keeps the output and the records of agents in `.quoll/agents-out` of the project (default false)" },
    } },
    // Only the person decides where copies of the repository are stored.
    worktree: { type: "object", keys: {
      folder: { ...TEXT, pattern: /^(?:~\/|\/)./, about: "The folder for worktrees, outside repositories (default: in Quoll's data folder)" },
      base: { ...NAME, max: 200, project: { trusted: "begins worktrees at {}" }, about: "The branch from which worktrees begin (default: the checked-out commit)" },
      sparse: { ...TEXTS, merge: "highest", project: { trusted: "limits worktrees to the folder {}" }, about: "The only folders that worktrees hold, as in `git sparse-checkout`" },
      setup: { ...NAME, project: { trusted: "runs {} in each new worktree" }, safe: "off", about: "A shell command that prepares each new worktree, such as `npm ci`" },
    } },
    background: { type: "object", keys: {
      idleHours: { type: "number", min: 0.0001, max: 500, about: "After how many hours without work a background session ends (default 24)" },
    } },
    // A repository may not have your sessions deleted, and not cause requests of its own.
    sessions: { type: "object", keys: {
      titleModel: { ...NAME, about: "The model that writes a title for a new session after its first turn, with one request of its own (default: none; the title is the first prompt)" },
      keepDays: { ...DAYS, about: "After how many days without a change Quoll deletes a saved session (default 30)" },
      maxDiskMb: { ...MEGABYTES, about: "How many MiB all saved sessions take with their output, before Quoll deletes the oldest (default 2048)" },
    } },
    // A repository may not take the way back from you.
    checkpoints: { type: "object", keys: {
      enabled: { ...FLAG, about: "Keeps the state of the files before each prompt, so that /rewind can go back to it (default true)" },
      keepDays: { ...DAYS, about: "After how many days Quoll deletes a checkpoint (default 30)" },
      maxDiskMb: { ...MEGABYTES, about: "How many MiB the checkpoints of all projects take with the backups, before Quoll deletes the oldest checkpoints, then the oldest backups (default 2048)" },
    } },
    taskList: { ...TEXT, pattern: /^[A-Za-z0-9][\w.-]{0,63}$/, project: { trusted: "shares the task list {} between sessions" }, about: "The name of a task list that sessions of this project share (default: each session has its own)" },
    mcp: { type: "object", safe: "unread", keys: {
      startWaitMs: { type: "integer", min: 0, max: 600_000, about: "How long a run without a screen waits for MCP servers that start, in milliseconds (default 5000)" },
    } },
    allowedMcpServers: { type: "list", of: SERVER_RULE, merge: "highest", layer: "managed", about: "In the managed file only: the MCP servers that may start, by `serverName`, `serverCommand` or `serverUrl`" },
    deniedMcpServers: { type: "list", of: SERVER_RULE, merge: "highest", layer: "managed", about: "In the managed file only: MCP servers that never start; stronger than `allowedMcpServers`" },
    // In addition, each hook of a project needs an approval.
    hooks: { type: "object", keys: HOOKS_BY_EVENT, project: { approved: "if trusted and approved" }, merge: "apart", live: "yours", safe: "unread", about: "Commands, requests, tools and questions that run at events of a session ([hooks](../hooks.md))" },
    // A project requests plugins: the person installs them, and approves each plugin for the project.
    enabledPlugins: { type: "map", of: FLAG, project: { approved: "if trusted and approved; only `true` counts" }, merge: "apart", safe: "unread", about: "Which installed plugins count, as `name@marketplace` ([plugins](../plugins.md))" },
    extraKnownMarketplaces: { type: "map", of: {
      type: "object", others: { type: "anything" }, keys: {
        source: { type: "object", required: true, others: { type: "anything" }, keys: { source: { ...TEXT, required: true } } },
      },
    }, project: { approved: "if trusted, as a hint" }, merge: "apart", safe: "unread", about: "Marketplaces of the plugins that a project asks for; Quoll names them, but never adds them itself" },
    // Only the project's own hooks can be disabled, because other hooks may protect the person.
    disableAllHooks: { ...FLAG, project: { only: true }, merge: "apart", live: true, about: "Runs no hooks: in the managed file none at all, in a project's file none of the project" },
    allowManagedHooksOnly: { ...FLAG, layer: "managed", merge: "apart", live: true, about: "In the managed file only: run no hooks of other files" },
  },
} as const satisfies ObjectSetting;
