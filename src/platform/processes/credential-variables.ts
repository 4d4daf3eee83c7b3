import { namedFew } from "../../contracts/words.ts";
import type { Environment } from "../env.ts";
import { matchPieces } from "../globs/match-pieces.ts";
import { PROGRAM_CREDENTIALS, RUNNERS } from "./program-credentials.ts";
import { holdsToken } from "./token-shapes.ts";
import { urlPasswords } from "./url-passwords.ts";

/** Credentials of model providers, which commands never need. */
const MODEL_PROVIDER =
  /^(?:ANTHROPIC|CLAUDE|OPENAI|GEMINI|GOOGLE_GENERATIVE_AI|MISTRAL|GROQ|XAI|DEEPSEEK|OPENROUTER|QUOLL)_.*(?:KEY|TOKEN|SECRET|CREDENTIALS?|PASSWORD|CUSTOM_HEADERS)S?$/;
/** Names that always mean a credential. */
const SECRET_NAME =
  /(?:^|[_.-])(?:(?:ACCESS|AUTH|API|BEARER|DEPLOY|REFRESH|SESSION)?TOKEN|PAT|SECRETS?|(?:CLIENT|APP)SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PW|PASSCODE|APIKEY|ACCESS_?KEY(?:_ID)?|SECRET_?KEY(?:_BASE)?|PRIVATE_?KEY)(?:_?(?:\d{1,2}|BASE64|B64))?$|PASSWORD$|[_.-]_AUTHTOKEN$|_AUTH$/i;
/** Names among these that may also mean a switch, a folder or a file. */
const UNSURE_NAME = /(?:^|_)(?:PASS|PAT|AUTH|PWD|PW|PRIVATE_?KEY)$/i;
/** Names whose value is often a path or a switch instead of a credential; such a value is then no credential. */
const KEY_NAME =
  /(?:[_.-]KEYS?|[_.-]CREDENTIALS?|^CREDENTIALS|[_.-]AUTH_CONFIG|[_.-]DSN|^DSN)(?:_?(?:\d{1,2}|BASE64|B64))?$/i;
/** Credentials of programs whose names have other endings. */
const OTHER_NAMES = new Set([
  "MYSQL_PWD",
  "PGPASSWORD",
  "REDISCLI_AUTH",
  "SQLCMDPASSWORD",
  "RAILS_MASTER_KEY",
  "POETRY_PYPI_TOKEN_PYPI",
  "AWS_BEARER_TOKEN_BEDROCK",
]);
/** OpenTelemetry's headers for all signals or for one, as `key=value,key=value`: a value may be a collector's key. */
const COLLECTOR_HEADERS = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;
/**
 * Names that end like a credential's name but hold something else: a public key, a user name, or a program that asks
 * for a password.
 */
const NO_CREDENTIAL =
  /(?:^|[_.-])(?:PUBLIC|PUB|PRIMARY|FOREIGN|SORT|PARTITION|ROUTING|CACHE|HOST|PRODUCT|GPG|AUTHORIZED|MAX|COMPOSE|HOT|META|XKB|NUM)_?(?:KEY|KEYS|TOKEN|TOKENS|PASS)$|^(?:PWD|OLDPWD|GPG_KEY|GIT_CONFIG_(?:KEY|VALUE)_\d+)$|ASKPASS$|PUBLISHABLE_KEY$/i;
/** Proxy variables: without them no command reaches the network. Their passwords are still hidden in output. */
const PROXY = /^(?:https?|all|ftp|no|rsync|npm_config_https?|npm_config)_proxy$/i;
/** Sentry's report URL, included in web pages: `https://<public key>@host/<project>`. */
const REPORT_ADDRESS = /^https?:\/\/[0-9a-f]{32}@[\w.-]+(?::\d+)?\/\d+$/;
const SWITCH = /^(?:|0|1|true|false|yes|no|on|off|none|null|\d{1,5})$/i;
const PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\s=+]{1,400}$/;
/** The minimum length of a value that is searched for in the output of commands. */
const MIN_KNOWN_CHARS = 8;
/** A password like `postgres` must not hide every line with that word. */
const PLAIN_WORD = /^(?:[a-z]{1,15}|[A-Z][a-z]{0,14}|[A-Z]{1,15}|\d{1,11})$/;
/** A program asked for help or its version needs no credential. */
const ASKS_ABOUT_ITSELF = /^--(?:help|version|completion)$/;
/** Error texts of programs that were denied access. */
const NO_ACCESS =
  /(?<![(:.\d])\b40[13]\b(?![,.:)\d])|\bE401\b|unauthori[sz]ed|forbidden|authenticat(?:ion|ed)\b|not (?:logged|signed) in|\blog ?in (?:required|first)|access denied|credentials?\b|api[ _-]?key|(?:missing|invalid|expired|no|bad) (?:\w+ )?token\b|permission denied \(/i;
/** The maximum number of names in one line. */
const MAX_NAMED = 8;

/** True if a variable looks like a credential by its name or, if the name does not tell, by its value. */
export function isCredential(name: string, value: string): boolean {
  if (MODEL_PROVIDER.test(name) || OTHER_NAMES.has(name) || COLLECTOR_HEADERS.test(name)) return true;
  if (PROXY.test(name) || NO_CREDENTIAL.test(name)) return false;
  if (value === "") return false;
  if (SECRET_NAME.test(name)) return !(UNSURE_NAME.test(name) && (SWITCH.test(value) || PATH.test(value)));
  if (REPORT_ADDRESS.test(value)) return false;
  if (KEY_NAME.test(name)) return !SWITCH.test(value) && !PATH.test(value);
  return urlPasswords(value).length > 0 || value.includes("PRIVATE KEY-----") || holdsToken(value);
}

/**
 * The names of the variables that are kept from commands since they look like credentials, sorted.
 * @param pass Names that commands get nevertheless; `*` stands for any text.
 */
export function withheldVariables(base: Environment, pass: readonly string[] = []): readonly string[] {
  return Object.entries(base)
    .filter(([name, value]) => value !== undefined && isCredential(name, value) && !isPassed(name, pass))
    .map(([name]) => name)
    .sort();
}

/** True if a list of names, in which `*` stands for any text, holds a name. */
export function isPassed(name: string, pass: readonly string[]): boolean {
  return pass.some((pattern) => matchPieces(pattern.split("*"), name));
}

/**
 * The values of this environment's credentials, so that they can be hidden in any text; for a connection string,
 * only the password. Values that are too short or too common to be distinguished from other text are left out.
 */
export function credentialValues(base: Environment): readonly string[] {
  const values = Object.entries(base).flatMap(([name, value = ""]) => {
    if (PROXY.test(name)) return urlPasswords(value);
    if (COLLECTOR_HEADERS.test(name)) return headerValues(value);
    if (!isCredential(name, value)) return [];
    const passwords = urlPasswords(value);
    return passwords.length > 0 ? passwords : [value.trim()];
  });
  return [...new Set(values)].filter((value) => value.length >= MIN_KNOWN_CHARS && !PLAIN_WORD.test(value));
}

/** The value after each `=`, both raw and percent-decoded, without its scheme (`Basic …`). */
function headerValues(pairs: string): readonly string[] {
  return pairs.split(",").flatMap((pair) => {
    const raw = pair.slice(pair.indexOf("=") + 1).trim();
    const decoded = /^(?:[^%]|%[0-7][0-9a-f])*$/i.test(raw) ? decodeURIComponent(raw) : raw;
    return [raw, decoded].map((value) => value.replace(/^[a-z]+(?: |%20)+/i, ""));
  });
}

/**
 * The variables from which a program is known to read its credentials, also if `npx` or a similar runner starts the
 * program.
 */
export function variablesWantedBy(program: string, args: readonly string[]): readonly string[] {
  const operands = args.filter((word) => !word.startsWith("-"));
  const [first = ""] = operands;
  if (args.some((word) => ASKS_ABOUT_ITSELF.test(word)) || ASKS_ABOUT_ITSELF.test(`--${first}`)) return [];
  const inner = innerProgram(program, operands);
  if (inner) return variablesWantedBy(inner.program, inner.args);
  const rows = PROGRAM_CREDENTIALS.filter(
    ({ programs, when }) => programs.includes(program) && (!when || when.includes(first)),
  );
  return [...new Set(rows.flatMap(({ variables }) => variables))];
}

/**
 * One line for the result of a failed command whose output reports missing access or names a withheld variable;
 * otherwise undefined. Names in the command's own text do not count. The line contains names, never a value.
 */
export function withheldHint(output: string, withheld: readonly string[]): string | undefined {
  const named = withheld.filter((name) => isNamedIn(output, name));
  if (named.length > 0) return describeWithheld(named);
  return withheld.length > 0 && NO_ACCESS.test(output) ? describeWithheld(withheld) : undefined;
}

/** True if a text holds a variable's name as a whole word: `NPM_TOKEN`, not `MY_NPM_TOKEN_FILE`. */
export function isNamedIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/\w/.test(text[at - 1] ?? "") && !/\w/.test(text[at + name.length] ?? "")) return true;
  return false;
}

function describeWithheld(names: readonly string[]): string {
  const they = names.length === 1 ? "it looks like a credential" : "they look like credentials";
  return `Withheld from this command: ${namedFew(names, MAX_NAMED)} (${they}). The user can list it under env.pass in settings.`;
}

/** The program that a runner starts: `npx wrangler@4 deploy`, `pnpm dlx vercel`. */
function innerProgram(program: string, operands: readonly string[]) {
  const verbs = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined;
  if (!verbs) return undefined;
  const [first = "", ...rest] = operands;
  const [name, args] =
    verbs.length === 0 ? [first, rest] : [verbs.includes(first) ? rest[0] : undefined, rest.slice(1)];
  // A package name may include its version; a runner that starts another runner is not followed.
  const bare = name?.replace(/(?<=.)@.*$/, "");
  return bare && !Object.hasOwn(RUNNERS, bare) ? { program: bare, args } : undefined;
}
