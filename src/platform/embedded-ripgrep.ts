/** The path of the embedded rg; set by the build of the executable, empty in source and bundle. */
export const embeddedRipgrep: string | undefined = undefined;
