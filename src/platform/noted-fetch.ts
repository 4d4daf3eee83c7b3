/**
 * The runtime's `fetch`, which calls `onSent` each time after a request has been handed to the network: from then on
 * until the answer comes, the program has nothing else to do.
 */
export function notedFetch(onSent: () => void): typeof globalThis.fetch {
  const noted = (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const answer = globalThis.fetch(input, init);
    onSent();
    return answer;
  };
  return Object.assign(noted, { preconnect: globalThis.fetch.preconnect });
}
