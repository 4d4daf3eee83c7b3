import { type ConfigProblem, ConfigurationError } from "../contracts/errors.ts";

/** Adds the related option to a problem of the session's configuration. */
const WITH_OPTION: Readonly<Record<ConfigProblem, (message: string) => string>> = {
  tools: (message) => `--tools: ${message}`,
  agent: (message) => `--agent: ${message}`,
  fallbackModels: (message) => `--fallback-model: ${message}`,
  noSession: (message) => `${message} Leave out --continue to start a new session.`,
  sessionExists: (message) => `${message} To continue that session, use --resume instead of --session-id.`,
  severalSessions: (message) => `${message} Give the id, or more of the name.`,
  sessionOpen: (message) => `${message} To continue in a copy of the session, add --fork-session.`,
};

/** The message of an error for a person at the command line. */
export function optionMessage(error: Error): string {
  return error instanceof ConfigurationError ? WITH_OPTION[error.problem](error.message) : error.message;
}
