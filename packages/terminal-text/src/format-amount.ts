/** `950`, `2.1k`, `21k`, `1.2M`: three digits at most. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 9_950) return `${(count / 1_000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `0.4s`, `8.9s`, `41s`, `2m10s`, `1h05m`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1_000).toFixed(1)}s`;
  return formatSeconds(ms);
}

/** Like `formatDuration`, in whole seconds: for clocks that tick once a second. */
export function formatSeconds(ms: number): string {
  const seconds = Math.round(Math.max(0, ms) / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

/**
 * US dollars. Unknown amounts are named as such, tiny amounts are never shown as zero: `<$0.01`. Other estimates
 * are marked: `~$0.04`.
 */
export function formatUsd(usd: number | undefined, isEstimate = false): string {
  if (usd === undefined) return "cost unknown";
  const mark = isEstimate ? "~" : "";
  if (usd === 0) return `${mark}$0.00`;
  if (usd < 0.005) return "<$0.01";
  return usd < 100 ? `${mark}$${usd.toFixed(2)}` : `${mark}$${usd.toFixed(0)}`;
}

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function formatAgo(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}
