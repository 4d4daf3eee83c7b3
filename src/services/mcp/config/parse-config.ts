import { revealText } from "@quoll/terminal-text/plain-text";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser/lib/esm/main.js";
import type { z } from "zod";
import { nearestName } from "../../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { McpScope, McpServerKind } from "../../../contracts/mcp.ts";
import { isJsonObject } from "../../../contracts/message.ts";
import { shownAddress } from "../../../contracts/shown-address.ts";
import type { Environment } from "../../../platform/env.ts";
import { type OAuthConfig, oauthProblem, oauthSchema } from "../oauth/oauth-config.ts";
import { type McpServerConfig, remoteSchema, sdkSchema, stdioSchema } from "./server-config.ts";

/** `${NAME}` or `${NAME:-default}`; the default ends at the first closing brace, as in similar tools. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** A text with its references replaced, or the names of variables that are unset and have no default. */
type Expanded = { readonly text: string; readonly missing: readonly string[] };

export type ParseOptions = {
  /** The source of the text, for messages: a path, or `--mcp-config`. */
  readonly source: string;
  /** The environment; if absent, references to variables stay unchanged. */
  readonly environment?: Environment;
  /** The scope of the servers; by default `flag`. */
  readonly scope?: McpScope;
};

export type ParsedConfig = {
  readonly servers: readonly McpServerConfig[];
  /** One line for each key that was not understood. */
  readonly warnings: readonly string[];
};

/** Servers of one file. */
const MAX_SERVERS = 200;
/** Other spellings of a server's type. */
const KIND_NAMES: ReadonlyMap<string, McpServerKind> = new Map([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["sse", "sse"],
  ["sdk", "sdk"],
]);
/** Keys of similar tools that have no effect here. A warning names them, because a server may depend on them. */
const IGNORED_KEYS: ReadonlySet<string> = new Set(["description"]);
/** Keys of Codex and Gemini CLI with the same meaning as Quoll's: Quoll's key, and the factor to its unit. */
const OTHER_KEYS: Readonly<Record<string, readonly [string, number?]>> = {
  enabled_tools: ["enabledTools"],
  disabled_tools: ["disabledTools"],
  includeTools: ["enabledTools"],
  excludeTools: ["disabledTools"],
  startup_timeout_ms: ["startupTimeout", 1],
  startup_timeout_sec: ["startupTimeout", 1_000],
  tool_timeout_sec: ["timeout", 1_000],
  http_headers: ["headers"],
  httpUrl: ["url"],
};
const SHARED_KEYS = [
  "disabled",
  "timeout",
  "alwaysLoad",
  "required",
  "startupTimeout",
  "enabledTools",
  "disabledTools",
  "maxOutputTokens",
] as const;
const TYPE_NAMES: Readonly<Record<string, string>> = { record: "an object", object: "an object", array: "a list" };

/**
 * Reads the text of a `.mcp.json` file (with comments and trailing commas). An unusable entry becomes an
 * `invalid` server, whose problem names the file and the key.
 * @throws {UserFacingError} (exit 2) the text is not such a file.
 */
export function parseMcpConfig(text: string, { source, environment, scope }: ParseOptions): ParsedConfig {
  const root = parseServerEntries(text, source);
  const warnings: string[] = [];
  const entries = Object.entries(root);
  if (entries.length > MAX_SERVERS)
    warnings.push(`${source} has ${entries.length} MCP servers: only the first ${MAX_SERVERS} are used.`);
  const servers = entries.slice(0, MAX_SERVERS).map(([name, entry]) => {
    const place = `${source}: mcpServers.${revealText(name)}`;
    const reader = new EntryReader({ place, warnings, ...(environment && { environment }) });
    const config = reader.read(name, entry);
    return scope ? { ...config, scope } : config;
  });
  return { servers, warnings };
}

/** Checks one entry, whose variables may be unset. `problem`: why no server can have this entry. */
export function checkServerEntry(name: string, entry: unknown) {
  const warnings: string[] = [];
  const config = new EntryReader({ place: name, warnings }).read(name, entry);
  return { warnings, ...(config.kind === "invalid" && { problem: config.problem }) };
}

/** The entries of a text as written, by name. @throws {UserFacingError} (exit 2) the text is not such a file. */
export function parseServerEntries(text: string, source: string): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const before = text.slice(0, first.offset).split("\n");
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    throw new UserFacingError(`${source}: ${place}: this is not JSON (${printParseErrorCode(first.error)}).`, 2);
  }
  const shape = '{"mcpServers": {"name": {"command": …} or {"type": "http", "url": …}}}';
  if (!isJsonObject(value)) throw new UserFacingError(`${source}: expected ${shape}.`, 2);
  const servers = value["mcpServers"];
  if (servers === undefined) throw new UserFacingError(`${source}: "mcpServers" is missing: expected ${shape}.`, 2);
  if (!isJsonObject(servers)) throw new UserFacingError(`${source}: mcpServers: expected an object of servers.`, 2);
  return servers;
}

type EntryDeps = { readonly place: string; readonly environment?: Environment; readonly warnings: string[] };

/** Reads the entry of one server; the first problem found becomes the entry's problem. */
class EntryReader {
  readonly #deps: EntryDeps;
  #problem: string | undefined;

  constructor(deps: EntryDeps) {
    this.#deps = deps;
  }

  read(name: string, entry: unknown): McpServerConfig {
    const kind = isJsonObject(entry) ? this.#kindOf(entry) : this.#fail("stdio", "", "expected an object");
    const config = this.#problem === undefined && isJsonObject(entry) ? this.#ofKind(name, kind, entry) : undefined;
    if (config && this.#problem === undefined) return config;
    return { name, isDisabled: false, kind: "invalid", intended: kind, problem: this.#problem ?? "it is empty" };
  }

  #kindOf(entry: Readonly<Record<string, unknown>>): McpServerKind {
    const type = entry["type"];
    if (type === undefined) {
      if (entry["command"] !== undefined) return "stdio";
      if (entry["url"] !== undefined || entry["httpUrl"] !== undefined) return "http";
      return this.#fail("stdio", "", 'expected a "command" to start, or a "url" to reach');
    }
    const kind = typeof type === "string" ? KIND_NAMES.get(type) : undefined;
    return kind ?? this.#fail("http", "type", `${JSON.stringify(type)} is not supported: use "stdio", "http" or "sse"`);
  }

  #ofKind(name: string, kind: McpServerKind, raw: Readonly<Record<string, unknown>>): McpServerConfig | undefined {
    const entry = { ...ownKeys(raw), ...(kind !== "stdio" || raw["type"] !== undefined ? { type: kind } : {}) };
    switch (kind) {
      case "stdio": {
        const parsed = this.#parse(stdioSchema, entry);
        if (!parsed) return undefined;
        const { command, args, env, cwd } = parsed;
        return {
          ...common(name, parsed),
          ...this.#written([command, ...args].join(" ")),
          kind,
          command: this.#expand("command", command),
          args: args.map((arg, index) => this.#expand(`args[${index}]`, arg)),
          env: this.#expandAll("env", env),
          ...(cwd !== undefined && { cwd: this.#expand("cwd", cwd) }),
        };
      }
      case "http":
      case "sse": {
        const parsed = this.#parse(remoteSchema, entry);
        if (!parsed) return undefined;
        const url = this.#expand("url", parsed.url);
        const isAddress =
          /^https?:$/.test(URL.parse(url)?.protocol ?? "") || (!this.#deps.environment && url.includes("${"));
        if (!isAddress && this.#problem === undefined)
          this.#fail(
            kind,
            "url",
            `${JSON.stringify(revealText(shownAddress(parsed.url)))} is not an http or https address`,
          );
        const { headersHelper } = parsed;
        const oauth = parsed.oauth && this.#oauth(parsed.oauth, raw["oauth"]);
        return {
          ...common(name, parsed),
          kind,
          url,
          headers: this.#expandAll("headers", parsed.headers),
          ...(headersHelper !== undefined && { headersHelper }),
          ...(oauth && { oauth }),
        };
      }
      case "sdk": {
        const parsed = this.#parse(sdkSchema, entry);
        return parsed && { ...common(name, parsed), kind, server: parsed.name ?? name };
      }
    }
  }

  #oauth(oauth: OAuthConfig, raw: unknown): OAuthConfig {
    this.#warnUnknown(oauthSchema, raw, ".oauth");
    const texts = Object.entries(oauth).map(([key, value]) => [
      key,
      typeof value === "string" ? this.#expand(`oauth.${key}`, value) : value,
    ]);
    const expanded = oauthSchema.safeParse(Object.fromEntries(texts));
    const problem = expanded.success ? oauthProblem(expanded.data) : "a value is empty";
    if (problem !== undefined) this.#fail("http", "oauth", problem);
    return expanded.data ?? oauth;
  }

  #parse<Schema extends z.ZodObject>(schema: Schema, entry: unknown): z.infer<Schema> | undefined {
    this.#warnUnknown(schema, entry);
    const parsed = schema.safeParse(entry);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    this.#fail("stdio", pathText(issue?.path ?? []), issue ? expectation(issue) : "it does not fit");
    return undefined;
  }

  #warnUnknown(schema: z.ZodObject, entry: unknown, under = ""): void {
    const known = Object.keys(schema.shape);
    for (const key of Object.keys(isJsonObject(entry) ? entry : {})) {
      if (known.includes(key)) continue;
      const nearest = nearestName(key, known);
      const place = `${this.#deps.place}${under}.${revealText(key)}`;
      if (IGNORED_KEYS.has(key)) this.#deps.warnings.push(`${place} has no effect here.`);
      else this.#deps.warnings.push(`${place} is unknown${nearest ? `: did you mean "${nearest}"?` : "."}`);
    }
  }

  #written(text: string): { readonly written?: string } {
    return this.#deps.environment && text.search(REFERENCE) >= 0 ? { written: text } : {};
  }

  #expandAll(key: string, texts: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, this.#expand(`${key}.${revealText(name)}`, text)]),
    );
  }

  #expand(key: string, text: string): string {
    const { environment } = this.#deps;
    if (!environment) return text;
    const expanded = expandVariables(text, environment);
    const [missing] = expanded.missing;
    if (missing !== undefined) {
      const advice = `set it, or use \${${missing}:-default}`;
      this.#fail("stdio", key, `the variable ${missing} is not set: ${advice}`);
    }
    return expanded.text;
  }

  #fail(kind: McpServerKind, key: string, what: string): McpServerKind {
    this.#problem ??= `${this.#deps.place}${key === "" ? "" : `.${key}`}: ${what}`;
    return kind;
  }
}

type Shared = Readonly<Partial<Pick<z.infer<typeof stdioSchema>, (typeof SHARED_KEYS)[number]>>>;

function common(name: string, shared: Shared) {
  const { disabled, timeout, alwaysLoad, required, startupTimeout, enabledTools, disabledTools, maxOutputTokens } =
    shared;
  return {
    name,
    isDisabled: disabled ?? false,
    ...(timeout !== undefined && { callTimeoutMs: timeout }),
    ...(alwaysLoad !== undefined && { alwaysLoad }),
    ...(required && { isRequired: true as const }),
    ...(startupTimeout !== undefined && { startMs: startupTimeout }),
    ...(enabledTools && { enabledTools }),
    ...(disabledTools && { disabledTools }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

/** The entry with Quoll's names of keys; a key with Quoll's own name takes precedence. */
function ownKeys(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const renamed = Object.entries(raw).map(([key, value]) => {
    const [own = key, factor] = Object.hasOwn(OTHER_KEYS, key) ? (OTHER_KEYS[key] ?? []) : [];
    return [own, factor !== undefined && typeof value === "number" ? Math.round(value * factor) : value, own === key];
  });
  return Object.fromEntries(renamed.sort((a, b) => Number(a[2]) - Number(b[2])).map(([key, value]) => [key, value]));
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `expected ${TYPE_NAMES[issue.expected] ?? `a ${issue.expected}`}`;
  if (issue.code === "invalid_union") return "expected text";
  if (issue.code === "too_small") return issue.origin === "string" ? "it is empty" : `at least ${issue.minimum}`;
  return issue.message;
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${revealText(String(part))}`)).join("");
  return text.replace(/^\./, "");
}

/** An empty variable is replaced by its default, as in a shell. Values are not expanded again. */
export function expandVariables(text: string, environment: Environment): Expanded {
  const missing: string[] = [];
  const expanded = text.replace(REFERENCE, (_, name: string, fallback: string | undefined) => {
    const value = environment[name];
    if (fallback !== undefined) return value ? value : fallback;
    if (value === undefined) missing.push(name);
    return value ?? "";
  });
  return { text: expanded, missing };
}
