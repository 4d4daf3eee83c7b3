import { errorMessage } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { changeLockedJson, type LockedJson, readLockedJson } from "../../platform/locked-json.ts";
import { isUtcTime } from "./utc-time.ts";

/** The maximum number of folders kept; the oldest are dropped. */
const MAX_FOLDERS = 2_000;
const VERSION = 1 as const;

type Stored = { readonly isRead: boolean; readonly at: string };
type Store = { readonly version: typeof VERSION; readonly folders: Readonly<Record<string, Stored>> };

/** The person's answers whether Quoll reads the instruction files of folders above projects, by folder. */
export type InstructionAnswers = {
  /** One line if the file is invalid; no folder has an answer then. */
  readonly warning?: string;
  /** @returns undefined if the person has not answered for the folder. */
  isRead(folder: string): boolean | undefined;
  /** Never throws. @returns one line if the answer could not be saved. */
  save(folders: readonly string[], isRead: boolean): Promise<string | undefined>;
};

/** Opens the answers. @param file Absolute; its folder is created at the first write. */
export async function openInstructionAnswers(file: string, now: () => number = Date.now): Promise<InstructionAnswers> {
  let folders: Store["folders"] = {};
  let warning: string | undefined;
  try {
    folders = (await readLockedJson(answerList(file))).folders;
  } catch (error) {
    warning = `${errorMessage(error)}: no instruction file above the project is read. Fix or delete the file.`;
  }
  return {
    ...(warning !== undefined && { warning }),
    isRead: (folder) => (Object.hasOwn(folders, folder) ? folders[folder]?.isRead : undefined),
    async save(answered, isRead) {
      const at = new Date(now()).toISOString();
      const added = Object.fromEntries(answered.map((folder) => [folder, { isRead, at }]));
      try {
        await changeLockedJson(answerList(file), (store) => ({
          version: VERSION,
          folders: newest({ ...store.folders, ...added }),
        }));
        return undefined;
      } catch (error) {
        return `${errorMessage(error)}: the answer about instruction files applies to this session only.`;
      }
    },
  };
}

function answerList(file: string): LockedJson<Store> {
  return {
    file,
    read: readStore,
    empty: { version: VERSION, folders: {} },
    what: "a list of answers about instruction files",
  };
}

function readStore(json: unknown): Store | undefined {
  if (!isJsonObject(json) || json["version"] !== VERSION || !isJsonObject(json["folders"])) return undefined;
  const all = Object.entries(json["folders"]);
  const folders = all.flatMap(([folder, stored]) => {
    if (!isJsonObject(stored) || !folder.startsWith("/")) return [];
    const { isRead, at } = stored;
    return typeof isRead === "boolean" && isUtcTime(at) ? [[folder, { isRead, at }] as const] : [];
  });
  return folders.length < all.length ? undefined : { version: VERSION, folders: Object.fromEntries(folders) };
}

function newest(folders: Store["folders"]): Store["folders"] {
  const all = Object.entries(folders);
  if (all.length <= MAX_FOLDERS) return folders;
  return Object.fromEntries(all.toSorted(([, a], [, b]) => (a.at < b.at ? 1 : -1)).slice(0, MAX_FOLDERS));
}
