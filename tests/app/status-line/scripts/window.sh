#!/bin/bash
# A status line in the shape of published ones: jq picks the fields of the window, printf lays them out in colour.
input=$(cat)
model=$(printf '%s' "$input" | jq -r '.model.display_name // .model.id')
IFS=$'\t' read -r used size left sent got fresh wrote read_ large cached ratio misses < <(printf '%s' "$input" | jq -r '[
  (.context_window | .used_percentage // "none", .context_window_size, .remaining_percentage // "none",
    .total_input_tokens, .total_output_tokens,
    (.current_usage // {} | .input_tokens // 0, .cache_creation_input_tokens // 0, .cache_read_input_tokens // 0)),
  .exceeds_200k_tokens, (.prompt_cache // {} | .caching_observed // false, .hit_ratio // 0, .misses // 0)
] | @tsv')
if [ "$used" = none ]; then
  printf '[%s] before the first request\n' "$model"
  exit 0
fi
printf '\033[36m[%s]\033[0m after %s tokens in, %s out: \033[33m%s%%\033[0m of %s, %s%% left\n' \
  "$model" "$sent" "$got" "$used" "$size" "$left"
printf 'now %s+%s+%s, large: %s, cached: %s %s %s\n' "$fresh" "$wrote" "$read_" "$large" "$cached" "$ratio" "$misses"
