import { DEBUG_TOPICS } from "../contracts/debug.ts";

/** Options whose values are rules; separated by commas or spaces, or given as several arguments. */
const RULE_OPTIONS: ReadonlySet<string> = new Set(["--allowed-tools", "--disallowed-tools", "--tools"]);
/** `Read`, `Bash(git diff *)`, `mcp__server__tool`: a tool's name, optionally followed by parentheses. */
const RULE_SHAPE = /^(?:[A-Z][A-Za-z]*|mcp__[\w-]+\*?)(?:\(.*\))?$/s;

/** Options that take several values in a row. The form of a word decides whether it is a value or the prompt. */
const LIST_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["--mcp-config", /^\s*\{|\.json$/],
  ["--add-dir", /^(?:\.{1,2}|~)?\/\S+$/],
]);

const DEBUG = "--debug";

/**
 * Normalises the spellings that users know from similar tools: `--allowedTools` becomes `--allowed-tools`, and several
 * values become repeated options, so that a prompt after them is not taken for a value. `--debug` takes the next word
 * only if it names topics.
 */
export function normalizeArguments(argv: readonly string[]): readonly string[] {
  // The words after this may be another program's options.
  if (argv[0] === "mcp" && argv[1] === "add") return argv;
  const result: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const argument = argv[i] ?? "";
    if (argument === "--") return [...result, ...argv.slice(i)];
    const [, name, value] = /^(--[A-Za-z][\w-]*)(?:=(.*))?$/s.exec(argument) ?? [];
    if (name === undefined) {
      result.push(argument);
      continue;
    }
    const option = kebab(name);
    if (option === DEBUG && value === undefined) {
      // Commander would take any following word as the value, even the prompt.
      result.push(`${option}=${isTopics(argv[i + 1]) ? argv[++i] : ""}`);
      continue;
    }
    const isMore = isRuleOption(option) ? isRules : isListItem(option);
    if (!isMore) {
      result.push(value === undefined ? option : `${option}=${value}`);
      continue;
    }
    const given = value === undefined ? [argv[++i] ?? ""] : [value];
    while (i + 1 < argv.length && isMore(argv[i + 1] ?? "")) given.push(argv[++i] ?? "");
    for (const one of given) result.push(`${option}=${one}`);
  }
  return result;
}

function isRuleOption(option: string): boolean {
  return RULE_OPTIONS.has(option);
}

function isRules(text: string): boolean {
  return splitRules(text).every((rule) => RULE_SHAPE.test(rule));
}

/** Topics of `--debug`: one topic, or several with commas and without spaces. A prompt does not have this form. */
function isTopics(word = ""): boolean {
  return DEBUG_TOPICS.some((topic) => topic === word) || /^!?[\w-]+(?:,!?[\w-]+)+$/.test(word);
}

function isListItem(option: string): ((text: string) => boolean) | undefined {
  const shape = LIST_OPTIONS.get(option);
  return shape && ((text) => shape.test(text));
}

function kebab(option: string): string {
  return option.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
}

/** Splits at commas and white space outside parentheses. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = "";
  for (const character of text) {
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule);
      rule = "";
      continue;
    }
    if (character === "(") depth += 1;
    if (character === ")") depth = Math.max(0, depth - 1);
    rule += character;
  }
  return [...rules, rule].filter((part) => part !== "");
}
