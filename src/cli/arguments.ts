/** Options whose values are rules; they may be given with commas or spaces between, or as several arguments. */
const RULE_OPTIONS: ReadonlySet<string> = new Set(["--allowed-tools", "--disallowed-tools", "--tools"]);
/** `Read`, `Bash(git diff *)`, `mcp__server__tool`: a tool's name, then perhaps something in parentheses. */
const RULE_SHAPE = /^(?:[A-Z][A-Za-z]*|mcp__[\w-]+\*?)(?:\(.*\))?$/s;

/**
 * Brings the spellings that users of such tools know into one: `--allowedTools` becomes `--allowed-tools`, and rules
 * given as several arguments become repeated options, so that a prompt behind them is not taken for a rule.
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
    if (!RULE_OPTIONS.has(option)) {
      result.push(value === undefined ? option : `${option}=${value}`);
      continue;
    }
    const given = value === undefined ? [argv[++i] ?? ""] : [value];
    while (i + 1 < argv.length && splitRules(argv[i + 1] ?? "").every((rule) => RULE_SHAPE.test(rule)))
      given.push(argv[++i] ?? "");
    for (const rules of given) result.push(`${option}=${rules}`);
  }
  return result;
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
