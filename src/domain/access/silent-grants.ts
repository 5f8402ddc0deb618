import type { Instant } from '../kernel/decision.ts';

/** How many grants may be made unasked within the window (milliseconds), for one session and add-on (GR-06). */
export const silentGrants = { most: 30, window: 60_000 } as const;

export type SilentGrant =
  | { readonly admitted: true; readonly times: readonly Instant[] }
  /** Whole seconds until the next one is allowed. */
  | { readonly admitted: false; readonly retryAfter: number };

export const admitSilentGrant = (times: readonly Instant[], now: Instant): SilentGrant => {
  const { most, window } = silentGrants;
  const recent = times.filter((at) => now - at <= window);
  const oldest = recent.at(-most);
  return oldest === undefined
    ? { admitted: true, times: [...recent, now] }
    : { admitted: false, retryAfter: Math.max(1, Math.ceil((oldest + window + 1 - now) / 1000)) };
};
