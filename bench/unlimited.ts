/** Switches off all limits, because the bench sends as many requests as it can. */
export const unlimited = {
  RATE_LIMIT_ACTIVATION: '0',
  RATE_LIMIT_ADDON: '0',
  RATE_LIMIT_TOKEN: '0',
  RATE_LIMIT_SIGN_IN: '0',
} as const;
