import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { isDummyValue } from "./judge-value.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

const RULE_PREFIX = "@secretlint/secretlint-rule-";
/**
 * Excluded rules: one lets a comment in a file disable rules; `gcp` reads files itself; the others hide a whole URL or
 * don't support line numbers, and are replaced by finders here (url-password.ts, private-key.ts).
 */
const LEFT_OUT = new Set(["filter-comments", "gcp", "basicauth", "database-connection-string", "privatekey"]);
/** Some rules report a range that starts before the value: the value is searched this far. */
const SEARCH_CHARS = 512;
const MIN_CHARS = 16;
/** Characters that end a token; some rules report the rest of the line. */
const TOKEN_END = /[\s"'`,;<>\\]/;
/** A text without a run of `MIN_CHARS` such characters contains no relevant value, so the rules need not run. */
const LONG_TOKEN = /[^\s"'`,;<>\\]{16}/;

type Reported = { readonly range: readonly [start: number, end: number]; readonly values: readonly string[] };
type RunningRule = { readonly kind: string; find(text: string): readonly Reported[] };

/**
 * Runs the rules of secretlint's recommended preset one by one, since its core is asynchronous and the rules are not. A
 * package update brings new rules of the preset.
 * @see docs/adr/0007-redaction.md
 */
export function ruleSetFinder(): Finder {
  const running = rules
    .filter(({ meta }) => !LEFT_OUT.has(kindOf(meta.id)))
    .map((rule): RunningRule => startRule(rule, kindOf(rule.meta.id)));
  return (text) => {
    if (!LONG_TOKEN.test(text)) return [];
    return running.flatMap(({ kind, find }) => find(text).flatMap((report) => toMatch(text, kind, report)));
  };
}

/** The ids of the rules in use. */
export function ruleSetKinds(): readonly string[] {
  return rules.map(({ meta }) => kindOf(meta.id)).filter((kind) => !LEFT_OUT.has(kind));
}

function kindOf(id: string): string {
  return id.startsWith(RULE_PREFIX) ? id.slice(RULE_PREFIX.length) : id.replace(/[^a-z0-9-]/g, "-");
}

function startRule(rule: (typeof rules)[number], kind: string): RunningRule {
  let reports: Reported[] = [];
  const context = {
    // A rule passes the found value to its message.
    createTranslator:
      () =>
      (_id: string, props: Readonly<Record<string, unknown>> = {}) => ({ props }),
    report: (found: { message: { props?: Readonly<Record<string, unknown>> }; range: readonly [number, number] }) => {
      const values = Object.values(found.message.props ?? {}).filter((value) => typeof value === "string");
      reports.push({ range: found.range, values });
    },
    ignore: () => undefined,
    sharedOptions: {},
  };
  // The preset's types are in a separate package; its rules use only these four members of a context.
  const started = rule.create(context as unknown as Parameters<typeof rule.create>[0], {});
  const find = (text: string): readonly Reported[] => {
    reports = [];
    try {
      const source = { content: text, filePath: undefined, ext: undefined, contentType: "text" };
      void started.file?.(source as unknown as Parameters<NonNullable<typeof started.file>>[0]);
    } catch {
      // A rule that throws keeps its earlier matches; the other rules continue.
    }
    return reports;
  };
  return { kind, find };
}

function toMatch(text: string, kind: string, { range, values }: Reported): readonly SecretMatch[] {
  const [from, to] = range;
  const near = text.slice(from, to + SEARCH_CHARS);
  const value = values.find((candidate) => candidate !== "" && near.includes(candidate)) ?? text.slice(from, to);
  const start = from + Math.max(0, near.indexOf(value));
  const cut = value.search(TOKEN_END);
  const end = start + (cut === -1 ? value.length : cut);
  return end - start < MIN_CHARS || isDummyValue(text.slice(start, end)) ? [] : [{ start, end, kind }];
}
