import { sha256 } from "../../../platform/digest.ts";

/** Tool names that model APIs accept. */
export const MAX_NAME_CHARS = 64;
/** Leaves room for 13 characters of a tool's own name. */
const MAX_SERVER_CHARS = 44;
const HASH_CHARS = 8;
const STANDARD = /^[A-Za-z0-9_-]+$/;

/**
 * The server's part of its tools' names: letters, digits, `-` and single `_`. Two underscores separate server and tool,
 * so that a rule for `mcp__a` never matches a tool of another server.
 * @param taken The parts of other servers.
 */
export function serverPart(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^_|_$/g, "");
  const fits = plain !== "" && plain.length <= MAX_SERVER_CHARS;
  return fits && !taken.has(plain) ? plain : unique(plain, { source: name, room: MAX_SERVER_CHARS, taken });
}

/**
 * The names of one server's tools for the model. A name stays the same for the whole session, even if the list changes.
 */
export class ToolNames {
  readonly prefix: string;
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** @param server The result of `serverPart`. */
  constructor(server: string) {
    this.prefix = `mcp__${server}__`;
  }

  /** The names for a list of tools, in its order. Unchanged names take precedence. */
  assign(tools: readonly string[]): readonly string[] {
    const room = MAX_NAME_CHARS - this.prefix.length;
    const isPlain = (name: string) => STANDARD.test(name) && name.length <= room;
    for (const name of tools) if (isPlain(name)) this.#give(name, name, room);
    for (const name of tools) this.#give(name, name.replace(/[^A-Za-z0-9_-]/g, "_"), room);
    return tools.map((name) => this.prefix + this.#given.get(name));
  }

  #give(name: string, wanted: string, room: number): void {
    if (this.#given.has(name)) return;
    const isTelling = /[A-Za-z0-9]/.test(wanted) && wanted.length <= room;
    const given =
      isTelling && !this.#taken.has(wanted) ? wanted : unique(wanted, { source: name, room, taken: this.#taken });
    this.#given.set(name, given);
    this.#taken.add(given);
  }
}

type Uniqueness = { readonly source: string; readonly room: number; readonly taken: ReadonlySet<string> };

/** A name with a short hash of the original name. */
function unique(wanted: string, { source, room, taken }: Uniqueness): string {
  const head = wanted.slice(0, room - HASH_CHARS - 1).replace(/_+$/, "");
  for (let attempt = 0; ; attempt += 1) {
    const hash = sha256(`${source}\0${attempt}`).slice(0, HASH_CHARS);
    const name = head === "" ? hash : `${head}_${hash}`;
    if (!taken.has(name)) return name;
  }
}
