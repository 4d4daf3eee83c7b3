/**
 * The runtime's `fetch` that calls `onSent` after each request was handed to the network: the program is idle until the
 * answer arrives.
 */
export function observedFetch(onSent: () => void): typeof globalThis.fetch {
  const noted = (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const answer = globalThis.fetch(input, init);
    onSent();
    return answer;
  };
  return Object.assign(noted, { preconnect: globalThis.fetch.preconnect });
}
