import type { Approvable, ApprovalState, Approvals } from "../../contracts/approval.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { sha256 } from "../../platform/digest.ts";
import { changeLockedJson, type LockedJson, readLockedJson } from "../../platform/locked-json.ts";
import { isTooBroad } from "./too-broad.ts";
import { isUtcTime } from "./utc-time.ts";

/** Most answers kept of all projects; the oldest are dropped. */
const MAX_ANSWERS = 10_000;
const VERSION = 1 as const;

/** `refused` stands only in files of earlier versions. */
type Verdict = "approved" | "refused";
type StoredAnswer = {
  readonly root: string;
  readonly kind: string;
  readonly name: string;
  readonly sha256: string;
  readonly verdict: Verdict;
  readonly at: string;
};
type Store = { readonly version: typeof VERSION; readonly answers: readonly StoredAnswer[] };
type Answer = Pick<StoredAnswer, "sha256" | "verdict">;

export type ApprovalStoreOptions = {
  /** The project root: absolute, symlinks resolved. */
  readonly root: string;
  /** `$HOME`: answers about this folder or one above it are never stored. */
  readonly home?: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
};

/** The answers about one project, and the faults of their file, one line each. */
export type ApprovalStore = Approvals & { readonly warnings: readonly string[] };

/**
 * Opens the answers about a project's content. With a file that is invalid or writable by other users, no content is
 * approved.
 * @param file Absolute; its folder is created at the first write.
 */
export async function createApprovalStore(file: string, options: ApprovalStoreOptions): Promise<ApprovalStore> {
  const warnings: string[] = [];
  let stored: ReadonlyMap<string, Answer> = new Map();
  try {
    stored = answersOf(await readLockedJson(approvalList(file)), options.root);
  } catch (error) {
    warnings.push(`${errorMessage(error)}: no content is approved. Fix or delete the file.`);
  }
  return new AnswerStore(file, options, stored, warnings);
}

class AnswerStore implements ApprovalStore {
  readonly warnings: readonly string[];
  readonly #file: string;
  readonly #options: ApprovalStoreOptions;
  readonly #isBroad: boolean;
  readonly #ofSession = new Map<string, Answer>();
  #stored: ReadonlyMap<string, Answer>;

  constructor(
    file: string,
    options: ApprovalStoreOptions,
    stored: ReadonlyMap<string, Answer>,
    warnings: readonly string[],
  ) {
    this.#file = file;
    this.#options = options;
    this.#isBroad = isTooBroad(options.root, [file, options.home]);
    this.#stored = this.#isBroad ? new Map() : stored;
    this.warnings = warnings;
  }

  state(item: Approvable): ApprovalState {
    if (item.obstacle !== undefined) return "refused";
    const known = [this.#ofSession.get(keyOf(item)), this.#stored.get(keyOf(item))].filter((one) => one !== undefined);
    const answer = known.find(({ sha256 }) => sha256 === hashOf(item));
    if (answer) return answer.verdict;
    return known.length > 0 ? "changed" : "new";
  }

  async approve(items: readonly Approvable[], scope: "always" | "session"): Promise<string | undefined> {
    const shown = items.filter(({ obstacle }) => obstacle === undefined);
    for (const item of shown) this.#ofSession.set(keyOf(item), { sha256: hashOf(item), verdict: "approved" });
    return scope === "always" ? this.#write(shown) : undefined;
  }

  async #write(items: readonly Approvable[]): Promise<string | undefined> {
    const { root, now = Date.now } = this.#options;
    if (items.length === 0) return undefined;
    if (this.#isBroad) return `${root} contains other projects: the answer applies to this session only.`;
    const at = new Date(now()).toISOString();
    const added = items.map((item) => ({
      root,
      kind: item.kind,
      name: item.name,
      sha256: hashOf(item),
      verdict: "approved" as const,
      at,
    }));
    const keys = new Set(items.map(keyOf));
    try {
      const store = await changeLockedJson(approvalList(this.#file), ({ answers }) => {
        const kept = answers.filter((one) => one.root !== root || !keys.has(keyOf(one)));
        return { version: VERSION, answers: newest([...kept, ...added]) };
      });
      this.#stored = answersOf(store, root);
      return undefined;
    } catch (error) {
      return `${errorMessage(error)}: the answer applies to this session only.`;
    }
  }
}

/** The approvals of an untrusted folder. */
export const NO_APPROVALS: Approvals = {
  state: () => "new",
  approve: async () => "The folder is not trusted, so nothing of it can be approved.",
};

function approvalList(file: string): LockedJson<Store> {
  return { file, read: readStore, empty: { version: VERSION, answers: [] }, what: "a list of approved content" };
}

/** Written without zod, which would be loaded at the start of each session in a trusted folder. */
function readStore(json: unknown): Store | undefined {
  if (!isJsonObject(json) || json["version"] !== VERSION || !Array.isArray(json["answers"])) return undefined;
  const answers = json["answers"].filter(isAnswer);
  return answers.length < json["answers"].length ? undefined : { version: VERSION, answers };
}

function isAnswer(json: unknown): json is StoredAnswer {
  if (!isJsonObject(json)) return false;
  const { root, kind, name, sha256, verdict, at } = json;
  const isText = [kind, name, sha256].every((field) => typeof field === "string");
  const isVerdict = verdict === "approved" || verdict === "refused";
  return isText && isVerdict && typeof root === "string" && root.startsWith("/") && isUtcTime(at);
}

function answersOf({ answers }: Store, root: string): ReadonlyMap<string, Answer> {
  return new Map(answers.filter((one) => one.root === root).map((one) => [keyOf(one), one]));
}

function newest(answers: Store["answers"]): Store["answers"] {
  if (answers.length <= MAX_ANSWERS) return answers;
  return answers.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, MAX_ANSWERS);
}

function keyOf({ kind, name }: Pick<Store["answers"][number], "kind" | "name">): string {
  return `${kind} ${name}`;
}

/** A start asks several times about the same items. */
const hashes = new WeakMap<Approvable, string>();

function hashOf(item: Approvable): string {
  const known = hashes.get(item);
  if (known !== undefined) return known;
  const hash = sha256(item.content);
  hashes.set(item, hash);
  return hash;
}
