import type { Instant } from '../../domain/kernel/decision.ts';

/** Whole seconds until `until`; at least one. */
export const secondsUntil = (until: Instant, now: Instant): string =>
  String(Math.max(1, Math.ceil((until - now) / 1000)));
