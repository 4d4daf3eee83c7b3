/** A limit that the product promises, and the constant that holds it. */
export type Limit = {
  readonly what: string;
  /** From the repository's root. */
  readonly file: string;
  /** Its ending tells the unit: `_MS`, `_BYTES`, `_CHARS`, `_TOKENS`, `_LINES`. */
  readonly name: string;
  /** The key of the settings file that overrides it. */
  readonly setting?: string;
};

const inFile =
  (file: string) =>
  (what: string, name: string, setting?: string): Limit => ({ what, file, name, ...(setting && { setting }) });

const tool = (path: string) => inFile(`src/services/tools/${path}`);
const judge = (path: string) => inFile(`src/services/judge/${path}`);
const backup = (name: string) => inFile(`src/platform/git-backup/${name}`);
const bash = tool("bash/limits.ts");
const ladder = inFile("src/platform/processes/stop-ladder.ts");
const read = tool("read/read.ts");
const glob = tool("glob/glob.ts");
const budget = inFile("src/engine/result-budget.ts");
const retry = inFile("src/services/provider/request/retry.ts");
const idle = inFile("src/services/provider/request/idle-watch.ts");
const denials = inFile("src/services/permission/denial-counter.ts");
const stdin = inFile("src/platform/stdin.ts");
const queue = inFile("src/faces/headless/turn-queue.ts");

/** The rows of docs/guide/reference/limits.md: what is promised and exists. */
export const LIMITS: readonly { readonly title: string; readonly limits: readonly Limit[] }[] = [
  {
    title: "Commands",
    limits: [
      bash("Timeout of a command that names none", "defaultTimeoutMs", "tools.bashTimeoutMs"),
      bash("Longest timeout that a command may name", "maxTimeoutMs", "tools.bashMaxTimeoutMs"),
      bash("Output given to the model, head and tail", "maxResultChars", "tools.bashMaxOutputChars"),
      bash("Output kept in a file; a command that prints more is ended", "maxOutputBytes"),
      tool("bash/clip-output.ts")("A line of output given to the model", "MAX_LINE_CHARS"),
      tool("bash/run-command.ts")("Time between two updates of the screen", "PROGRESS_MS"),
      tool("bash/background-tasks.ts")("Background tasks at once", "MAX_RUNNING"),
      ladder("Stopping: from SIGINT to SIGTERM", "interruptMs"),
      ladder("Stopping: from SIGTERM to SIGKILL", "terminateMs"),
    ],
  },
  {
    title: "Files and searches",
    limits: [
      read("Read: lines of a call that names none", "DEFAULT_LINES"),
      read("Read: length of a line", "MAX_LINE_CHARS"),
      read("Read: one call, estimated", "MAX_RESULT_TOKENS"),
      tool("read/read-image.ts")("Read: longest side of an image", "MAX_SIDE_PIXELS"),
      tool("known-file.ts")("Edit, Write: largest file", "MAX_WRITTEN_BYTES"),
      tool("edit/changed-lines.ts")("Edit: changed lines shown", "MAX_LINES"),
      glob("Glob: results", "MAX_RESULTS"),
      tool("glob/list-files.ts")("Glob: time", "MAX_SECONDS"),
      tool("grep/grep.ts")("Grep: results of a call that names no number", "DEFAULT_RESULTS"),
      tool("grep/grep.ts")("Grep: time", "TIMEOUT_MS"),
      tool("grep/rg-search.ts")("Grep: output read from ripgrep", "MAX_OUTPUT_BYTES"),
    ],
  },
  {
    title: "Results and calls",
    limits: [
      budget("A tool's result kept in context", "MAX_RESULT_CHARS"),
      budget("All results of one message; the largest go to files first", "MAX_MESSAGE_RESULT_CHARS"),
      budget("Preview of a result that went to a file", "SPILL_PREVIEW_CHARS"),
      inFile("src/engine/run-tools.ts")("Calls side by side", "MAX_PARALLEL_CALLS"),
      denials(
        "Refusals in a row, of one tool, before the model is told to change its approach",
        "MAX_DENIALS_IN_A_ROW",
      ),
      denials("Refusals in a session before it is told so", "MAX_DENIALS_IN_SESSION"),
      inFile("src/services/permission/suggest.ts")('Rules that one "always" writes', "MAX_SUGGESTIONS"),
      judge("create-judge.ts")("Mode auto: both looks at a call; later a person is asked", "JUDGE_TIMEOUT_MS"),
      judge("judge-question.ts")("Mode auto: a call that is judged; a longer one is asked", "MAX_CALL_CHARS"),
      judge("judge-question.ts")(
        "Mode auto: your words in a session; with more, every call is asked",
        "MAX_USER_CHARS",
      ),
      tool("exit-plan-mode/spec.ts")("A plan", "MAX_PLAN_CHARS"),
      tool("exit-plan-mode/spec.ts")("Rules that a plan may bring", "MAX_PLAN_RULES"),
    ],
  },
  {
    title: "Model requests",
    limits: [
      retry("Tries of a request", "MAX_ATTEMPTS"),
      retry("First wait; it doubles", "BASE_DELAY_MS"),
      retry("Longest wait of ours", "MAX_DELAY_MS"),
      retry("Longest Retry-After that is waited for", "MAX_RETRY_AFTER_MS"),
      idle("Silence of a stream that is said", "IDLE_NOTED_MS"),
      idle("Silence of a stream that ends the try", "IDLE_ABORTED_MS"),
      idle("Wait for the first event", "FIRST_EVENT_MS"),
      idle("The same, from a server on this machine", "FIRST_EVENT_LOOPBACK_MS"),
      inFile("src/engine/output-tokens.ts")("Output asked for, at most", "WANTED_OUTPUT_TOKENS"),
      inFile("src/services/context/session-context.ts")("Instruction file", "MAX_INSTRUCTION_CHARS"),
    ],
  },
  {
    title: "The way back before a destructive command",
    limits: [
      backup("keep-budget.ts")("Files kept; of more a person is asked", "maxFiles"),
      backup("keep-budget.ts")("Their size", "maxBytes"),
      backup("backup-folder.ts")("Backups of a project; the oldest go", "MAX_BACKUPS"),
      backup("backup-folder.ts")("Days that one is kept", "MAX_AGE_DAYS"),
      backup("run-git.ts")("Time of one run of git", "MAX_RUN_MS"),
    ],
  },
  {
    title: "Spend and keys",
    limits: [
      inFile("src/services/spend/spend-ledger.ts")("Wait for another process that has the ledger", "LOCK_WAIT_MS"),
      inFile("src/services/credentials/keyring.ts")("Answer of the keyring", "KEYRING_CALL_MS"),
      inFile("src/services/credentials/key-helper.ts")("Time of a key helper", "HELPER_TIMEOUT_MS"),
      inFile("src/services/credentials/key-helper.ts")(
        "How long a key that a helper printed is used",
        "HELPER_TTL_MS",
        "apiKeyHelperTtlMs",
      ),
    ],
  },
  {
    title: "Telemetry",
    limits: [
      inFile("src/services/telemetry/create-telemetry.ts")("Wait at the end of a session", "CLOSE_MS"),
      inFile("src/services/telemetry/content.ts")("One value, where content is sent", "MAX_CONTENT_CHARS"),
      inFile("src/services/telemetry/open-signals.ts")("Series of a metric", "MAX_SERIES"),
    ],
  },
  {
    title: "Input and settings",
    limits: [
      stdin("stdin", "MAX_STDIN_BYTES"),
      stdin("Wait for the first byte of stdin", "FIRST_BYTE_MS"),
      inFile("src/faces/headless/input-lines.ts")("One line of a session in JSON", "MAX_INPUT_LINE_BYTES"),
      queue("Messages that wait there", "MAX_WAITING"),
      queue("The same, in bytes", "MAX_WAITING_BYTES"),
      inFile("src/services/config/read-layer.ts")("Settings file", "MAX_SETTINGS_BYTES"),
      inFile("src/services/trust/trust-store.ts")(
        "Trusted folders; of more the oldest are forgotten",
        "MAX_TRUSTED_FOLDERS",
      ),
      inFile("src/platform/prompt-history.ts")("Prompts kept for ↑", "MAX_PROMPTS"),
    ],
  },
];
