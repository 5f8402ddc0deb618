import { gauge, type Metric } from './metric.ts';

/** @param untrusted undefined where unknown */
export const signingKeyMetrics = (untrusted: number | undefined): readonly Metric[] => [
  gauge(
    'grantbook_signing_keys_untrusted',
    'Rows of signing_keys that nobody with TOKEN_KEYS wrote; they are not published. Alarm above 0.',
    untrusted === undefined ? [] : [{ value: untrusted }],
  ),
];
