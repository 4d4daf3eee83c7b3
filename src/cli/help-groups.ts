import { type Command, Help, Option } from "commander";

/** The groups of the help, in its order, with the long names of their options. */
const OPTION_GROUPS: Readonly<Record<string, string>> = {
  "Start and continue:":
    "--print --continue --resume --fork-session --name --session-id --no-session-persistence --worktree --worktree-base --bg",
  "Folders and trust:": "--cwd --add-dir --trust",
  "Model:": "--model --fallback-model --effort --thinking --max-thinking-tokens",
  "Permissions:":
    "--permission-mode --allowed-tools --disallowed-tools --allow-sandboxed --tools --permission-prompt-tool --dangerously-skip-permissions --allow-dangerously-skip-permissions",
  "Scripts and programs:":
    "--output-format --input-format --json-schema --max-turns --max-budget-usd --verbose --include-partial-messages --replay-user-messages",
  "What the model knows:":
    "--agent --agents --system-prompt --system-prompt-file --append-system-prompt --append-system-prompt-file --bare",
  "Settings, servers and plugins:":
    "--settings --setting-sources --mcp-config --strict-mcp-config --plugin-dir --safe-mode",
  "Screen:": "--plain --fullscreen",
  "Help:": "--help --version --debug",
};

const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  "Set up:": "auth models config permissions sandbox doctor completion",
  "Sessions:": "ps attach logs stop sessions backups replay worktree stats",
  "Tools and extensions:": "mcp plugin agents inventory show route exec",
};

const ORDER = ["Arguments:", ...Object.keys(OPTION_GROUPS), ...Object.keys(COMMAND_GROUPS)];

const EXAMPLES = `
Examples:
  quoll                                 start a session in this folder
  quoll "explain src/cart.js"           start it with a first message
  quoll -c                              continue the most recent session
  git diff | quoll -p "review this"     answer once, for scripts
  quoll --model offline                 try Quoll without an account
  quoll auth login anthropic            save a key

More: quoll <command> --help; /help in a session; the guide begins at
docs/guide/start.md, and a session answers "how do I …?" from it.
`;

/** Options of a session that mean nothing where no conversation takes place. */
const OF_CONVERSATIONS =
  "--print --continue --resume --fork-session --session-id --name --no-session-persistence --output-format --model --max-turns --max-budget-usd --verbose";
/** Options of programs that show nothing in the prompt of a session. */
const OF_ANSWERS =
  "--debug --input-format --include-partial-messages --replay-user-messages --json-schema --permission-prompt-tool --fallback-model --effort --thinking --max-thinking-tokens --allow-dangerously-skip-permissions";

/** Sorts the options and commands of the program's help into groups, and adds examples. */
export function groupHelp(program: Command): void {
  const groupOf = grouped(OPTION_GROUPS);
  for (const option of program.options) option.helpGroup(groupOf.get(option.long ?? "") ?? "Options:");
  program.addHelpOption(new Option("-h, --help", "print this help").helpGroup("Help:"));
  const commandGroupOf = grouped(COMMAND_GROUPS);
  for (const command of program.commands) command.helpGroup(commandGroupOf.get(command.name()) ?? "Commands:");
  const place = (heading: string) => ORDER.indexOf(heading);
  program.configureHelp({
    groupItems<Item extends Command | Option>(all: Item[], visible: Item[], groupOf: (item: Item) => string) {
      const groups = new Help().groupItems(all, visible, groupOf);
      return new Map([...groups].sort(([one], [other]) => place(one) - place(other)));
    },
  });
  program.addHelpText("after", EXAMPLES);
}

/** Leaves out of the help the options that `quoll exec` accepts and does not need. */
export function withoutConversation(command: Command): Command {
  return hiding(command, OF_CONVERSATIONS);
}

/** Leaves out of the help the options that don't change the prompt of a session; `-p` does. */
export function withoutAnswers(command: Command): Command {
  return hiding(command, `${OF_CONVERSATIONS} ${OF_ANSWERS}`.replace("--print ", ""));
}

function hiding(command: Command, names: string): Command {
  const hidden = new Set(names.split(" "));
  for (const option of command.options) if (hidden.has(option.long ?? "")) option.hideHelp();
  return command;
}

function grouped(groups: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(groups).flatMap(([heading, names]) => names.split(" ").map((name) => [name, heading] as const)),
  );
}
