import type { SkillFormat } from "./skill.ts";

/** The form of the files in a folder: one of the skills, definitions of agents, extensions, or output styles. */
export type ContentFormat = SkillFormat | "agent" | "extension" | "style";

/** A folder whose files add something to a session. */
export type ContentFolder<Format extends ContentFormat = ContentFormat> = {
  /** Absolute. */
  readonly folder: string;
  readonly format: Format;
  /** The author of the files. */
  readonly origin: "user" | "project" | "plugin";
  /** The plugin's name, which is put before the names of what the files add. */
  readonly plugin?: string;
  /** If set, only this entry of the folder is read. */
  readonly only?: string;
  /** The folder that must contain the files, links resolved; absent for the user's own files. */
  readonly within?: string;
};

/** A problem of such a file. */
export type ContentWarning = {
  /** Absolute. */
  readonly file: string;
  /** One line for the person. */
  readonly line: string;
  /** True if the whole file has no effect. */
  readonly isUnused: boolean;
};

/** A file of such a folder. */
export type ContentFile<Format extends ContentFormat = ContentFormat> = {
  readonly place: ContentFolder<Format>;
  /** Absolute. */
  readonly path: string;
  /** The same path with links resolved. */
  readonly real: string;
  /** The name that follows from the path: `git:commit`. */
  readonly name: string;
  /** Changes when the file changes. */
  readonly stamp: string;
};
