/** Before every test: no colour, UTC, no credentials from the machine, and no network beyond loopback. */
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]", "::1"]);

for (const name of Object.keys(process.env)) {
  if (/^(ANTHROPIC_|QUOLL_|XDG_|OPENAI_|GEMINI_)/.test(name)) delete process.env[name];
}
Object.assign(process.env, { NO_COLOR: "1", TZ: "UTC", LC_ALL: "C.UTF-8" });
delete process.env["FORCE_COLOR"];

const realFetch = globalThis.fetch;
const guardedFetch = (...[input, init]: Parameters<typeof fetch>) => {
  const url = new URL(input instanceof Request ? input.url : String(input));
  if (!LOOPBACK.has(url.hostname)) throw new Error(`A test tried to reach ${url.hostname}.`);
  return realFetch(input, init);
};
globalThis.fetch = Object.assign(guardedFetch, realFetch);
