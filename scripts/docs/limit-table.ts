/** A documented limit and the constant that defines it. */
export type Limit = {
  readonly what: string;
  /** Path from the repository root. */
  readonly file: string;
  /** The suffix is the unit: `_MS`, `_BYTES`, `_CHARS`, `_TOKENS`, `_LINES`. */
  readonly name: string;
  /** The key of the settings file that overrides it. */
  readonly setting?: string;
};

const inFile =
  (file: string) =>
  (what: string, name: string, setting?: string): Limit => ({ what, file, name, ...(setting && { setting }) });

const tool = (path: string) => inFile(`src/services/tools/${path}`);
const judge = (path: string) => inFile(`src/services/judge/${path}`);
const sampling = (file: string) => inFile(`src/app/mcp/${file}`);
const web = (file: string) => inFile(`src/services/web/${file}`);
const search = inFile("src/services/provider/search/search-form.ts");
const converting = inFile("src/platform/processes/convert-child.ts");
const documents = (file: string) => inFile(`src/services/documents/office/${file}`);
const serving = (file: string) => inFile(`src/faces/mcp-server/${file}`);
const backup = (name: string) => inFile(`src/services/guard/io/${name}`);
const checkpoint = (name: string) => inFile(`src/services/checkpoint/${name}`);
const bash = tool("bash/limits.ts");
const ladder = inFile("src/platform/processes/stop-ladder.ts");
const read = tool("read/read.ts");
const glob = tool("glob/glob.ts");
const budget = inFile("src/engine/result-budget.ts");
const context = inFile("src/contracts/window-limits.ts");
const retry = inFile("src/services/provider/request/retry.ts");
const instructions = (name: string) => inFile(`src/services/context/instructions/${name}`);
const memory = (name: string) => inFile(`src/services/context/memory/${name}`);
const recall = (name: string) => inFile(`src/services/recall/${name}`);
const idle = inFile("src/services/provider/request/idle-watch.ts");
const denials = inFile("src/services/permission/verdicts.ts");
const stdin = inFile("src/platform/stdin.ts");
const queue = inFile("src/faces/headless/message-intake.ts");

/** The rows of docs/guide/reference/limits.md. */
export const LIMITS: readonly { readonly title: string; readonly limits: readonly Limit[] }[] = [
  {
    title: "Commands",
    limits: [
      bash("Default timeout of a command", "defaultTimeoutMs", "tools.bashTimeoutMs"),
      bash("Longest timeout that a call may ask for", "maxTimeoutMs", "tools.bashMaxTimeoutMs"),
      bash("Output for the model, head and tail", "maxResultChars", "tools.bashMaxOutputChars"),
      bash("Output saved to a file; a command that prints more is killed", "maxOutputBytes"),
      tool("bash/clip-output.ts")("One line of output for the model", "MAX_LINE_CHARS"),
      tool("bash/run-command.ts")("Time between two screen updates", "PROGRESS_MS"),
      inFile("src/services/tasks/task-registry.ts")("Background commands at once", "MAX_SHELLS"),
      inFile("src/services/tasks/task-registry.ts")("Agents of a session at once, with those that wait", "MAX_AGENTS"),
      ladder("Stopping: from SIGINT to SIGTERM", "interruptMs"),
      ladder("Stopping: from SIGTERM to SIGKILL", "terminateMs"),
    ],
  },
  {
    title: "Files and searches",
    limits: [
      read("Read: default number of lines", "DEFAULT_LINES"),
      read("Read: length of a line", "MAX_LINE_CHARS"),
      read("Read: result of one call, estimated", "MAX_RESULT_TOKENS"),
      tool("read/read-image.ts")("Read: longest side of an image", "MAX_SIDE_PIXELS"),
      tool("read/read-document.ts")("Read: largest document", "MAX_DOCUMENT_BYTES"),
      tool("read/read-document.ts")("Read: pages of a PDF in one call", "MAX_PDF_PAGES"),
      tool("read/show-pages.ts")("Read: pages of a PDF that are shown themselves", "MAX_SHOWN_PAGES"),
      documents("open-archive.ts")("Documents: all that is unpacked", "MAX_UNPACKED_BYTES"),
      documents("open-archive.ts")("Documents: files in an archive", "MAX_ENTRIES"),
      documents("read-sheets.ts")("Documents: rows of a sheet", "MAX_ROWS"),
      converting("Conversion of a page or a document to text: time", "CONVERT_TIMEOUT_MS"),
      converting("Conversion of a page or a document to text: memory", "CONVERT_MEMORY_BYTES"),
      tool("known-file.ts")("Edit, Write: largest file", "MAX_WRITTEN_BYTES"),
      tool("changed-lines.ts")("Edit, NotebookEdit: changed lines shown", "MAX_LINES"),
      glob("Glob: results", "MAX_RESULTS"),
      inFile("src/platform/files/list-files.ts")("Glob: time", "MAX_SECONDS"),
      tool("grep/grep.ts")("Grep: default number of results", "DEFAULT_RESULTS"),
      tool("grep/grep.ts")("Grep: time", "TIMEOUT_MS"),
      tool("grep/rg-search.ts")("Grep: output read from ripgrep", "MAX_OUTPUT_BYTES"),
    ],
  },
  {
    title: "Web pages",
    limits: [
      web("io/read-page-body.ts")("Largest body, after decompression", "MAX_BODY_BYTES"),
      web("io/fetch-address.ts")("Time for a page, redirects included", "FETCH_TIMEOUT_MS"),
      web("io/fetch-address.ts")("Redirects that are followed", "MAX_REDIRECTS"),
      web("read-address.ts")("Length of an address", "MAX_ADDRESS_CHARS"),
      web("create-web-reader.ts")("Time that a page is kept", "KEPT_MS"),
      web("create-web-reader.ts")("Pages that are kept, together", "KEPT_BYTES"),
      tool("web-fetch/page-part.ts")("Part of a page in one result", "MAX_SHOWN_CHARS"),
      tool("web-fetch/web-fetch.ts")("Part of a page that a small model reads", "MAX_ASKED_CHARS"),
    ],
  },
  {
    title: "Web searches",
    limits: [
      inFile("src/app/agent/search-web.ts")("Searches in one turn of an agent", "MAX_SEARCHES_PER_TURN"),
      tool("web-search/web-search.ts")("Length of a query", "MAX_QUERY_CHARS"),
      tool("web-search/web-search.ts")("Domains in one list", "MAX_DOMAINS"),
      web("search/search-service.ts")("Results that a service is asked for", "WANTED_RESULTS"),
      web("search/clean-report.ts")("Results in one answer", "MAX_RESULTS"),
      web("search/clean-report.ts")("Excerpt of one result", "MAX_SNIPPET_CHARS"),
      web("io/ask-service.ts")("Time of a search by a service", "SEARCH_TIMEOUT_MS"),
      web("io/ask-service.ts")("Largest answer of a service", "MAX_ANSWER_BYTES"),
      search("Answer of a model that searches", "MAX_SEARCH_ANSWER_TOKENS"),
      search("Searches whose price a cap reserves for one request to a provider", "RESERVED_SEARCHES"),
    ],
  },
  {
    title: "Results and calls",
    limits: [
      budget("A tool's result kept in context", "MAX_RESULT_CHARS"),
      budget("All results of one message; the largest are moved to files first", "MAX_MESSAGE_RESULT_CHARS"),
      budget("Preview of a result that was moved to a file", "SPILL_PREVIEW_CHARS"),
      inFile("src/engine/tool-run.ts")("Parallel calls", "MAX_PARALLEL_CALLS"),
      denials(
        "Consecutive refusals of one tool before the model is told to change its approach",
        "MAX_DENIALS_IN_A_ROW",
      ),
      denials("Refusals in a session before the model is told to change its approach", "MAX_DENIALS_IN_SESSION"),
      inFile("src/services/permission/question/suggest.ts")('Rules that one "always" answer adds', "MAX_SUGGESTIONS"),
      judge("create-judge.ts")("Mode auto: time to review a call; after that, a person is asked", "JUDGE_TIMEOUT_MS"),
      judge("create-judge.ts")(
        "Mode auto: longest call that is reviewed; for a longer one, a person is asked",
        "MAX_CALL_CHARS",
      ),
      judge("create-judge.ts")(
        "Mode auto: your messages in a session; beyond that, a person is asked about every call",
        "MAX_USER_CHARS",
      ),
      tool("exit-plan-mode/exit-plan-mode.ts")("Length of a plan", "MAX_PLAN_CHARS"),
      tool("exit-plan-mode/exit-plan-mode.ts")("Rules that a plan may request", "MAX_PLAN_RULES"),
    ],
  },
  {
    title: "Context window",
    limits: [
      context("Output kept free, at most 10 % of the window", "WANTED_OUTPUT_TOKENS", "compaction.reserveTokens"),
      context("Of the rest: the status line warns", "WARN_PERCENT", "compaction.warnPercent"),
      context("Of the rest: Quoll compacts on its own", "COMPACT_PERCENT", "compaction.compactPercent"),
      context("Of the rest: nothing more is sent before you compact", "STOP_PERCENT", "compaction.stopPercent"),
    ],
  },
  {
    title: "Requests of MCP servers to the model",
    limits: [
      sampling("answer-sampling.ts")("Requests of all servers in a turn", "MAX_SAMPLES_PER_TURN"),
      sampling("answer-sampling.ts")("Requests of all servers in a session", "MAX_SAMPLES_PER_SESSION"),
      sampling("sampling-budget.ts")("A longer request is declined", "MAX_SAMPLE_CHARS"),
      sampling("sampling-budget.ts")("Images of a request", "MAX_SAMPLE_IMAGES"),
      sampling("sampling-budget.ts")("An answer", "MAX_SAMPLE_TOKENS"),
      sampling("sampling-budget.ts")("Largest request that a yes for the session covers", "MAX_BUDGETED_INPUT_TOKENS"),
      sampling("sampling-budget.ts")("All that a yes for the session covers, with answers", "SESSION_BUDGET_TOKENS"),
    ],
  },
  {
    title: "Quoll as an MCP server",
    limits: [
      serving("serve-connection.ts")("Message of a client", "MAX_MESSAGE_BYTES"),
      serving("http-sessions.ts")(
        "Clients over HTTP; one more ends the idle one used longest ago",
        "MAX_HTTP_SESSIONS",
      ),
      serving("call-progress.ts")("Time between two reports that a call still runs", "HEARTBEAT_MS"),
      serving("question-form.ts")("Preview in a question", "MAX_PREVIEW_CHARS"),
    ],
  },
  {
    title: "Model requests",
    limits: [
      retry("Attempts of a request", "MAX_ATTEMPTS"),
      retry("First delay; it doubles with each retry", "BASE_DELAY_MS"),
      retry("Longest delay without a Retry-After", "MAX_DELAY_MS"),
      retry("Longest Retry-After that is obeyed", "MAX_RETRY_AFTER_MS"),
      idle("Silence of a stream before a notice", "IDLE_NOTED_MS"),
      idle("Silence of a stream before a retry", "IDLE_ABORTED_MS"),
      idle("Wait for the first event of a stream", "FIRST_EVENT_MS"),
      idle("Keep-alives without content before a notice", "KEEP_ALIVE_NOTED_MS"),
      idle("Keep-alives without content before a retry", "KEEP_ALIVE_MS"),
      idle("Wait for the first event, from a server on this machine", "FIRST_EVENT_LOOPBACK_MS"),
      context("Requested output tokens", "WANTED_OUTPUT_TOKENS"),
      instructions("read-instruction.ts")("Length of an instruction file in characters", "MAX_INSTRUCTION_CHARS"),
      instructions("collect-instructions.ts")("Depth of imports in instruction files", "MAX_IMPORT_DEPTH"),
      instructions("collect-instructions.ts")("Instruction files of a session's start", "MAX_INSTRUCTION_FILES"),
    ],
  },
  {
    title: "Memory",
    limits: [
      memory("memory-index.ts")("Lines of the index of a project's notes", "MAX_INDEX_LINES"),
      memory("memory-index.ts")("Size of the index of a project's notes", "MAX_INDEX_BYTES"),
      memory("memory-files.ts")("Notes of a project", "MAX_NOTES"),
      memory("memory-files.ts")("Size of a note", "MAX_NOTE_BYTES"),
      memory("recall-notes.ts")("Notes that go with one prompt", "MAX_RECALLED"),
      inFile("src/services/context/io/note-moves.ts")("Forgotten notes that are kept", "MAX_KEPT"),
    ],
  },
  {
    title: "Recall and search",
    limits: [
      tool("recall/recall.ts")("Recall: default budget in tokens", "DEFAULT_TOKENS"),
      tool("recall/recall.ts")("Recall: largest budget in tokens", "MAX_TOKENS"),
      tool("recall/recall.ts")("Recall: matches of one query", "MAX_MATCHES"),
      recall("recall-query.ts")("Words of a query", "MAX_QUERY_WORDS"),
      recall("io/write-index.ts")("Characters of one text in the index", "MAX_TEXT_CHARS"),
      recall("io/session-files.ts")("File of a cut result that is searched", "MAX_SPILLED_BYTES"),
      recall("io/index-file.ts")("Wait for another process that writes the index", "BUSY_TIMEOUT_MS"),
      recall("session-recall.ts")("Logs that are read for parts of words", "MAX_SECOND_LOOK_BYTES"),
    ],
  },
  {
    title: "Checkpoints",
    limits: [
      checkpoint("io/root-tree.ts")("Size of a stored file", "maxFileBytes"),
      checkpoint("io/root-tree.ts")("Files of a folder; of a larger one, only named files are kept", "maxFiles"),
      checkpoint("io/root-tree.ts")(
        "New content of a folder in one state; beyond it, only named files are kept",
        "maxNewBytes",
      ),
      checkpoint("io/session-store.ts")("Wait for the first state of a folder", "FIRST_WAIT_MS"),
      checkpoint("io/session-store.ts")("Repositories inside a folder", "MAX_NESTED"),
      checkpoint("prune-plan.ts")("Prompts of a session; the oldest go first", "MAX_POINTS"),
      checkpoint("prune-plan.ts")("Age of a checkpoint in days", "KEEP_DAYS", "checkpoints.keepDays"),
      checkpoint("prune-plan.ts")(
        "Checkpoints and backups on the disk; the oldest checkpoints go first",
        "MAX_BYTES",
        "checkpoints.maxDiskMb",
      ),
    ],
  },
  {
    title: "Backups before destructive commands",
    limits: [
      backup("backup-budget.ts")("Files in a backup; for more, a person is asked", "maxFiles"),
      backup("backup-budget.ts")("Size of a backup", "maxBytes"),
      backup("backup-folder.ts")("Backups of a project; the oldest are deleted", "MAX_BACKUPS"),
      backup("backup-folder.ts")("Age of a backup in days", "MAX_AGE_DAYS"),
      backup("run-git.ts")("Time of one git command", "MAX_RUN_MS"),
    ],
  },
  {
    title: "Spend and keys",
    limits: [
      inFile("src/services/spend/spend-ledger.ts")("Wait for another process that holds the ledger", "LOCK_WAIT_MS"),
      inFile("src/services/credentials/keyring.ts")("Time of a keyring call", "KEYRING_CALL_MS"),
      inFile("src/services/credentials/key-helper.ts")("Time of a key helper", "HELPER_TIMEOUT_MS"),
      inFile("src/services/credentials/key-helper.ts")(
        "Time before a helper's key is requested again",
        "HELPER_TTL_MS",
        "apiKeyHelperTtlMs",
      ),
    ],
  },
  {
    title: "Telemetry",
    limits: [
      inFile("src/services/telemetry/create-telemetry.ts")("Wait for deliveries at the end of a session", "CLOSE_MS"),
      inFile("src/services/telemetry/content.ts")("Length of one value with `content`", "MAX_CONTENT_CHARS"),
      inFile("src/services/telemetry/open-signals.ts")("Series of one metric", "MAX_SERIES"),
    ],
  },
  {
    title: "Debug log",
    limits: [
      inFile("src/services/telemetry/debug-log/debug-file.ts")(
        "One log; a last line says that it is full",
        "MAX_LOG_BYTES",
      ),
      inFile("src/services/telemetry/debug-log/debug-file.ts")("One entry", "MAX_ENTRY_CHARS"),
      inFile("src/services/telemetry/io/prune-logs.ts")("Logs kept, the newest", "MAX_LOGS"),
      inFile("src/services/telemetry/io/prune-logs.ts")("Age of a log that is kept, in days", "MAX_LOG_AGE_DAYS"),
    ],
  },
  {
    title: "Input and settings",
    limits: [
      stdin("Size of stdin", "MAX_STDIN_BYTES"),
      stdin("Wait for the first byte of stdin", "FIRST_BYTE_MS"),
      inFile("src/faces/headless/input-lines.ts")("One line of `stream-json` input", "MAX_INPUT_LINE_BYTES"),
      queue("Queued `stream-json` messages", "MAX_WAITING"),
      queue("Size of the queued messages", "MAX_WAITING_BYTES"),
      inFile("src/services/config/read-layer.ts")("Size of a settings file", "MAX_SETTINGS_BYTES"),
      inFile("src/services/trust/trust-store.ts")(
        "Trusted folders; beyond that, the oldest are removed",
        "MAX_TRUSTED_FOLDERS",
      ),
      inFile("src/platform/prompt-history.ts")("Prompts in the history for ↑", "MAX_PROMPTS"),
      inFile("src/services/mentions/path-index.ts")("Files and folders that the list of `@` knows", "MAX_PATHS"),
      inFile("src/app/mentions/attach-mentions.ts")("Files that a prompt attaches with `@`", "MAX_MENTIONS"),
    ],
  },
];
