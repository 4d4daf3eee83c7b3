/** The path of the rg inside the executable; the build puts it here, and source and bundle have none. */
export const embeddedRipgrep: string | undefined = undefined;
