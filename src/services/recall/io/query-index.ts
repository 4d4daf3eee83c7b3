import type { DatabaseSync } from "node:sqlite";
import type { RecallMatch } from "../../../contracts/recall.ts";
import { ftsExpression, type Query } from "../recall-query.ts";
import type { SessionFile } from "./session-files.ts";
import { indexedFile, placeWord, type TextPlace } from "./write-index.ts";

/** A place in the index that contains words of the query. */
export type IndexPlace = TextPlace & Pick<RecallMatch, "projectId" | "sessionId" | "cwd" | "title">;

/** The sessions to search: one session, those of a project, or all. */
export type PlacesOf =
  | { readonly session: SessionFile }
  | { readonly projectId: string; readonly ownSessionId: string }
  | "all";

/**
 * The matching places, best first: places with all words before those with only some. Of the current session, only the
 * part after its last `cleared`.
 */
export function placesOf(database: DatabaseSync, query: Query, of: PlacesOf, maxPlaces: number): readonly IndexPlace[] {
  const limits = limitsOf(database, of);
  if (!limits) return [];
  const ask = (how: "all" | "any") =>
    database
      .prepare(
        `SELECT f.project, f.session, f.cwd, f.title, t.at, t.part, t.spilled FROM words
         JOIN texts t ON t.id = words.rowid JOIN files f ON f.id = t.file
         WHERE words MATCH ? AND ${limits.where} ORDER BY bm25(words, 1.0, 0.0) LIMIT ${maxPlaces}`,
      )
      .all(`${limits.place}text : (${ftsExpression(query, how)})`, ...limits.values);
  const all = ask("all");
  const rows = all.length >= maxPlaces ? all : [...all, ...ask("any")];
  const places = rows.map((row) => ({
    projectId: String(row["project"]),
    sessionId: String(row["session"]),
    cwd: String(row["cwd"]),
    title: String(row["title"]),
    at: Number(row["at"]),
    part: Number(row["part"]),
    spilled: String(row["spilled"]),
  }));
  // A large file is several texts of the index.
  const keyOf = ({ projectId, sessionId, at, part, spilled }: IndexPlace) =>
    JSON.stringify([projectId, sessionId, at, part, spilled]);
  return [...new Map(places.map((place) => [keyOf(place), place])).values()];
}

type Limits = { readonly place: string; readonly where: string; readonly values: readonly (string | number)[] };

function limitsOf(database: DatabaseSync, of: PlacesOf): Limits | undefined {
  if (of === "all") return { place: "", where: "1", values: [] };
  if ("projectId" in of) {
    const where = "f.project = ? AND (f.session <> ? OR t.at >= f.cleared)";
    return { place: "", where, values: [of.projectId, of.ownSessionId] };
  }
  const file = indexedFile(database, of.session);
  return file && { place: `place : ${placeWord(file.id)} AND `, where: "t.at >= ?", values: [file.cleared] };
}
