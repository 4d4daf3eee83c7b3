import { DEBUG_TOPICS } from "../contracts/debug.ts";

/** Options whose values are rules; they may be given with commas or spaces between, or as several arguments. */
const RULE_OPTIONS: ReadonlySet<string> = new Set(["--allowed-tools", "--disallowed-tools", "--tools"]);
/** `Read`, `Bash(git diff *)`, `mcp__server__tool`: a tool's name, then perhaps something in parentheses. */
const RULE_SHAPE = /^(?:[A-Z][A-Za-z]*|mcp__[\w-]+\*?)(?:\(.*\))?$/s;

/** Options whose values may follow one another; what can be such a value is told from a prompt by its look. */
const LIST_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["--mcp-config", /^\s*\{|\.json$/],
  ["--add-dir", /^(?:\.{1,2}|~)?\/\S+$/],
]);

const DEBUG = "--debug";

/**
 * Brings the spellings that users of such tools know into one: `--allowedTools` becomes `--allowed-tools`, and rules and
 * lists given as several arguments become repeated options, so that a prompt behind them is not taken for one of them. `--debug` takes the next word only where it names topics.
 */
export function normalizeArguments(argv: readonly string[]): readonly string[] {
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
      // Commander would take whatever stands behind it, also the prompt.
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

/** A topic of `--debug`, or a list of words with commas and no spaces between: no prompt looks like that. */
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

/** Splits at commas and white space that stand outside of parentheses. */
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
