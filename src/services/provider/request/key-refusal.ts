/** Messages of vendors about an invalid key, with a status that suggests another error. */
const BAD_KEY = /API_KEY_INVALID|invalid_api_key|API[ _]key not valid|(incorrect|invalid) API[ _]key/i;

/** True if a refusal says that the key is invalid. @param words The error's type, code and message. */
export function isAboutKey(status: number | undefined, words: string): boolean {
  return status === 401 || ((status === 400 || status === 403) && BAD_KEY.test(words));
}

/** True if another key could help: Google and AWS use 403 for an expired key and for a missing permission. */
export function mayBeTheKey(status: number | undefined, words: string): boolean {
  return status === 403 || isAboutKey(status, words);
}
