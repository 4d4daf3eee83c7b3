/** Settings layers that `--setting-sources` can leave out: the user's file, the project's files, the user's file for this project. */
export const SETTING_SOURCES = ["user", "project", "local"] as const;
export type SettingSource = (typeof SETTING_SOURCES)[number];

/** The files that `quoll config set` writes: the user's, the project's, the user's own for this project. */
export const SETTING_SCOPES = ["user", "project", "own"] as const;
export type SettingScope = (typeof SETTING_SCOPES)[number];
