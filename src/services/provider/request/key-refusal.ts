/** What vendors say of a key that is none, with a status that says something else. */
const BAD_KEY = /API_KEY_INVALID|invalid_api_key|API[ _]key not valid|(incorrect|invalid) API[ _]key/i;

/** Whether the words of a refusal say that the key is no good. @param words the error's type, code and message. */
export function isAboutKey(status: number | undefined, words: string): boolean {
  return status === 401 || ((status === 400 || status === 403) && BAD_KEY.test(words));
}

/** Whether another key could be taken: 403 is said of a key that ran out (Google, AWS) as of one that may not. */
export function mayBeTheKey(status: number | undefined, words: string): boolean {
  return status === 403 || isAboutKey(status, words);
}
