const KEY_HEADER = /auth|key|token/i;

/** Whether one of the configured headers looks like the place of a key: `x-api-key`. */
export function carriesKey(headers: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(headers).some((name) => KEY_HEADER.test(name));
}
