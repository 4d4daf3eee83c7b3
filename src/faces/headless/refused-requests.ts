const NO_TASKS = "work in the background can't be steered over the control protocol yet";
const NO_SKILLS = "there are no skills and no plugins yet";
const OTHER_WAY = "it goes the other way: Quoll asks, and the program answers";

/** What programs of this ecosystem may ask for and Quoll does not do: why, for the reply and for docs/protocol.md. */
export const REFUSED_REQUESTS = {
  rewind_files: "there are no checkpoints of files to go back to yet",
  background_tasks: NO_TASKS,
  stop_task: NO_TASKS,
  get_task_output: NO_TASKS,
  reload_plugins: NO_SKILLS,
  reload_skills: NO_SKILLS,
  reload_output_styles: "there is one output style, and nothing to read again",
  get_hooks_listing: "the hooks of a session are those that the program itself registered",
  get_usage: "there are no plans with limits here; get_session_cost and the fields of result say what was used",
  update_settings: "a program writes no settings file; apply_flag_settings changes a running session",
  register_repo_root: "the folders of a session are fixed when it begins (--add-dir)",
  rename_session: "sessions have no titles but their first words",
  set_color: "there is no accent colour",
  read_file: "the program reads files itself; the model has Read",
  seed_read_state: "what was read is known from the conversation alone",
  file_suggestions: "names of files are completed on the screen alone",
  mcp_call: "tools of servers are called by the model alone",
  mcp_read_resource: "resources of servers are not read yet",
  can_use_tool: OTHER_WAY,
  hook_callback: OTHER_WAY,
  elicitation: OTHER_WAY,
  request_user_dialog: "Quoll shows no dialogs",
} as const satisfies Readonly<Record<string, string>>;

/** Why a request is not done here; undefined for one that is not known at all. */
export function refusalOf(subtype: string): string | undefined {
  const refused: Readonly<Record<string, string>> = REFUSED_REQUESTS;
  return Object.hasOwn(refused, subtype) ? refused[subtype] : undefined;
}
