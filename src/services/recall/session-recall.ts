import type { DatabaseSync } from "node:sqlite";
import { setImmediate as giveWay } from "node:timers/promises";
import { errorMessage } from "../../contracts/errors.ts";
import type {
  IndexedPart,
  Recall,
  RecallAnswer,
  RecalledSession,
  RecallPassage,
  RecallScope,
  RecallSearch,
} from "../../contracts/recall.ts";
import type { Entry } from "../../contracts/session.ts";
import { deleteIndex, isDamaged, openIndex } from "./io/index-file.ts";
import { type IndexPlace, placesOf } from "./io/query-index.ts";
import { type SessionFile, sessionFileAt, sessionFiles } from "./io/session-files.ts";
import { forgetDeleted, indexedFile, indexSession } from "./io/write-index.ts";
import { bestMatches, type Candidate, candidateOf } from "./matches.ts";
import { readPlace } from "./read-place.ts";
import { type Query, readQuery, wordScores } from "./recall-query.ts";
import { findInEntries, findInLog, scanEntries, scanLog } from "./scan-logs.ts";

/** Logs up to this total size are read completely if the index finds no match, to find parts of words. */
const MAX_SECOND_LOOK_BYTES = 64 * 1024 * 1024;

/** Until there is a match, a search looks into the growing index after so many bytes of logs. */
const FIRST_LOOK_BYTES = 1024 * 1024;
const LOOK_BYTES = 8 * 1024 * 1024;
/** Then it looks again when the index has grown by this factor. */
const MORE_SHARE = 1.5;

/** The minimum number of places that the index returns for a query; the best are read and compared. */
const MIN_PLACES = 80;

export type RecallDeps = {
  /** The folder of all sessions; absolute. */
  readonly root: string;
  /** As `indexFile` names it. */
  readonly indexPath: string;
  /** The session that searches; without it, only `all` can be searched. */
  readonly own?: OwnSession;
  /** Hides credentials in a whole text. */
  redact(text: string): string;
  /** Parses a line as an entry; undefined for a line that is not an entry. */
  parse(line: string): Entry | undefined;
};

export type OwnSession = {
  readonly projectId: string;
  readonly sessionId: string;
  /** All entries of a session that is not saved. */
  entries?(): readonly Entry[];
};

/** Searches the logs of sessions by an index, which it builds when it is first asked. */
export class SessionRecall implements Recall {
  readonly #deps: RecallDeps;
  #index: ReturnType<typeof openIndex> | undefined;
  #isClosed = false;

  constructor(deps: RecallDeps) {
    this.#deps = deps;
  }

  async search(search: RecallSearch, signal: AbortSignal): Promise<RecallAnswer> {
    const query = readQuery(search.query);
    const { own, redact } = this.#deps;
    const inMemory = own?.entries && search.scope !== "all" ? scanEntries(own.entries(), own, query, redact) : [];
    const files = this.#files(search.scope);
    const { candidates, notes } = await this.#candidates(files, query, search, signal);
    const all = [...inMemory, ...candidates];
    const isSmall = files.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_SECOND_LOOK_BYTES;
    const found = all.length > 0 || !isSmall ? all : await this.#scan(files, query, search.scope, signal);
    const answer = await bestMatches(found, query, { search, redact, signal });
    return { ...answer, notes: [...notes, ...answer.notes] };
  }

  async find(id: string, where: RecallScope | RecalledSession, signal: AbortSignal): Promise<readonly RecallPassage[]> {
    const { own, parse } = this.#deps;
    const inMemory = own?.entries && findInEntries(own.entries(), own.sessionId, id);
    if (inMemory && inMemory.length > 0) return this.#redacted(inMemory, signal);
    for (const file of ownFirst(this.#files(where), own)) {
      const log = { file, isSinceCleared: isSinceCleared(file, where, own) };
      const found = await unlessGone(() => findInLog(log, id, { parse, signal }), []);
      if (found.length > 0) return this.#redacted(found, signal);
    }
    return [];
  }

  /** The whole texts are redacted, before anything cuts them. */
  async #redacted(passages: readonly RecallPassage[], signal: AbortSignal): Promise<readonly RecallPassage[]> {
    const shown: RecallPassage[] = [];
    for (const passage of passages) {
      signal.throwIfAborted();
      shown.push({ ...passage, text: this.#deps.redact(passage.text) });
      await giveWay();
    }
    return shown;
  }

  /** Closes the index. Running searches end with an error. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const index = await this.#index;
    this.#index = undefined;
    if (index && "database" in index) index.database.close();
  }

  #files(where: RecallScope | RecalledSession): readonly SessionFile[] {
    const { root, own } = this.#deps;
    if (where === "all") return sessionFiles(root);
    if (where === "project") return own ? sessionFiles(root, own.projectId) : [];
    const place = where === "session" ? own : where;
    const isInMemory = where === "session" && own?.entries !== undefined;
    const file = place && !isInMemory ? sessionFileAt(root, place.projectId, place.sessionId) : undefined;
    return file ? [file] : [];
  }

  async #candidates(files: readonly SessionFile[], query: Query, search: RecallSearch, signal: AbortSignal) {
    if (files.length === 0) return { candidates: [], notes: [] };
    const opened = await this.#open();
    const plain = async (why: string) => ({
      candidates: await this.#scan(files, query, search.scope, signal),
      notes: [`The logs were read one by one: ${why}.`],
    });
    if ("problem" in opened) return plain(opened.problem);
    const opening = opened.note === undefined ? [] : [opened.note];
    // The note is returned only once.
    if (opened.note !== undefined) this.#index = Promise.resolve({ database: opened.database });
    try {
      return { candidates: await this.#ask(opened.database, files, query, { search, signal }), notes: opening };
    } catch (error) {
      if (signal.aborted || this.#isClosed) throw error;
      if (isDamaged(error)) await this.#deleteDamaged();
      return plain(`the search index can't be used (${errorMessage(error)})`);
    }
  }

  async #ask(
    database: DatabaseSync,
    files: readonly SessionFile[],
    query: Query,
    { search, signal }: { readonly search: RecallSearch; readonly signal: AbortSignal },
  ) {
    const { redact, own } = this.#deps;
    const { scope, report, partial } = search;
    if (scope !== "session") forgetDeleted(database, files, scope === "project" ? own?.projectId : undefined);
    const look = () => this.#found(database, files, query, { search, signal });
    const looks = new PartialLooks();
    await this.#bringUpToDate(database, files, signal, async (part) => {
      report?.(part);
      if (!partial || !looks.isDue(part)) return;
      const candidates = await look();
      looks.looked(part, candidates.length > 0);
      if (candidates.length > 0) partial(await bestMatches(candidates, query, { search, redact, signal }), part);
    });
    return look();
  }

  /** Brings the index up to date, the newest logs first. */
  async #bringUpToDate(
    database: DatabaseSync,
    files: readonly SessionFile[],
    signal: AbortSignal,
    indexed: (part: IndexedPart) => Promise<void>,
  ): Promise<void> {
    const { parse, redact } = this.#deps;
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    for (const file of files) {
      let read = 0;
      const add = (bytes: number) => {
        read += bytes;
        return indexed({ done: done + read, total });
      };
      await unlessGone(() => indexSession({ database, parse, redact }, file, signal, add), undefined);
      done += file.bytes;
    }
  }

  /** What the index finds, as it is now. */
  async #found(
    database: DatabaseSync,
    files: readonly SessionFile[],
    query: Query,
    { search, signal }: { readonly search: RecallSearch; readonly signal: AbortSignal },
  ): Promise<readonly Candidate[]> {
    const { own } = this.#deps;
    const { scope, maxMatches } = search;
    const [only] = files;
    const of =
      scope === "session" && only
        ? { session: only }
        : scope === "project" && own
          ? { projectId: own.projectId, ownSessionId: own.sessionId }
          : ("all" as const);
    const asked = scope !== "all" && own ? askedAt(database, files, own) : undefined;
    const maxPlaces = Math.max(MIN_PLACES, maxMatches * 2);
    const candidates: Candidate[] = [];
    for (const place of placesOf(database, query, of, maxPlaces)) {
      if (place.sessionId === asked?.sessionId && place.at === asked.at) continue;
      signal.throwIfAborted();
      candidates.push(...this.#candidate(place, query));
      await giveWay();
    }
    return candidates;
  }

  /** The candidate of a place; undefined if its log was deleted or has changed since. */
  #candidate(place: IndexPlace, query: Query): readonly Candidate[] {
    const { root, parse } = this.#deps;
    const file = sessionFileAt(root, place.projectId, place.sessionId);
    const read = file && readPlace(file, place, parse);
    if (!read) return [];
    const scores = wordScores(read.found.text, query);
    const readText = () => readPlace(file, place, parse)?.found.text;
    return [candidateOf(place, { ...read, scores, readText })];
  }

  async #scan(files: readonly SessionFile[], query: Query, scope: RecallScope, signal: AbortSignal) {
    const { own, parse, redact } = this.#deps;
    const found: Candidate[] = [];
    for (const file of files) {
      const log = { file, isSinceCleared: isSinceCleared(file, scope, own) };
      found.push(...(await unlessGone(() => scanLog(log, query, { parse, signal, redact }), [])));
    }
    return found;
  }

  #open(): ReturnType<typeof openIndex> {
    this.#index ??= openIndex(this.#deps.indexPath);
    return this.#index;
  }

  async #deleteDamaged(): Promise<void> {
    await this.close();
    this.#isClosed = false;
    deleteIndex(this.#deps.indexPath);
  }
}

/** Decides when a search looks into an index that is still being built. */
class PartialLooks {
  #nextAt = FIRST_LOOK_BYTES;

  isDue({ done, total }: IndexedPart): boolean {
    return done >= this.#nextAt && done < total;
  }

  looked({ done }: IndexedPart, hasMatches: boolean): void {
    // A look that finds nothing costs nothing.
    this.#nextAt = hasMatches ? Math.max(done * MORE_SHARE, done + LOOK_BYTES) : done + LOOK_BYTES;
  }
}

/** The current session's log is searched from the last `/clear` on, as the model sees it. */
function isSinceCleared(
  { sessionId }: SessionFile,
  where: RecallScope | RecalledSession,
  own: OwnSession | undefined,
): boolean {
  return (where === "session" || where === "project") && sessionId === own?.sessionId;
}

function ownFirst(files: readonly SessionFile[], own: OwnSession | undefined): readonly SessionFile[] {
  const isOwn = (file: SessionFile) => Number(file.sessionId === own?.sessionId);
  return files.toSorted((a, b) => isOwn(b) - isOwn(a));
}

/** The person's last prompt is already visible to the model, and contains the words of the query. */
function askedAt(database: DatabaseSync, files: readonly SessionFile[], own: OwnSession) {
  const file = files.find(({ sessionId }) => sessionId === own.sessionId);
  const known = file && indexedFile(database, file);
  return known && { sessionId: own.sessionId, at: known.asked };
}

/** A log may be deleted at any time. */
async function unlessGone<Value>(work: () => Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EACCES"))
      return otherwise;
    throw error;
  }
}
