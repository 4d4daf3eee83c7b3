const OTHER_WAY = "only Quoll sends this request; the program answers it";

/** Requests of this ecosystem's protocol that Quoll does not support, with the reason for the reply and for docs/protocol.md. */
export const REFUSED_REQUESTS = {
  get_usage: "the command /usage shows the limits that providers tell; use get_session_cost and the fields of result",
  update_settings: "programs do not write settings files; use apply_flag_settings to change a running session",
  register_repo_root: "only a person adds folders (--add-dir, /add-dir)",
  rename_session: "the title of a session is its first prompt",
  set_color: "there is no accent colour",
  read_file: "the program can read files itself; the model has Read",
  seed_read_state: "only the conversation records which files were read",
  file_suggestions: "only the terminal completes file names",
  can_use_tool: OTHER_WAY,
  hook_callback: OTHER_WAY,
  elicitation: OTHER_WAY,
  request_user_dialog: "Quoll shows no dialogs",
} as const satisfies Readonly<Record<string, string>>;

/** The reason why a request is not supported; undefined for an unknown request. */
export function refusalOf(subtype: string): string | undefined {
  const refused: Readonly<Record<string, string>> = REFUSED_REQUESTS;
  return Object.hasOwn(refused, subtype) ? refused[subtype] : undefined;
}
