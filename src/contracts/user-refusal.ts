const REFUSED = "The user refused this call";
const SAID = `${REFUSED} and said: `;

/** The beginning of the text that tells the model that its plan cannot be approved in this run. */
export const NOBODY_APPROVES = "Nobody can approve the plan";

/** The text that tells the model that the person refused a call. */
export function userRefusal(reason: string | undefined): string {
  return reason === undefined ? `${REFUSED}.` : SAID + reason;
}

/**
 * Parses a text of `userRefusal`, so that a resumed session shows the refusal like the running session did.
 * @returns undefined for any other result.
 */
export function readUserRefusal(text: string): { readonly reason?: string } | undefined {
  if (text.startsWith(SAID)) return { reason: text.slice(SAID.length) };
  return text.startsWith(`${REFUSED}.`) ? {} : undefined;
}
