import type { EndReason } from '../../../audit/timeline/timeline.ts';

export type EndMark = {
  /** One letter at the end of the bar. */
  readonly letter: string;
  /** A pattern from the page's definitions, so that nobody has to distinguish colours. */
  readonly pattern: 'plain' | 'rising' | 'falling' | 'upright' | 'level' | 'dots' | 'cross';
};

export type BarKind = EndReason | 'open';

/** How a bar shows why its grant ended: a colour (by its class), a pattern, a letter, and words in the legend. */
export const endMarks: Readonly<Record<BarKind, EndMark>> = {
  open: { letter: '→', pattern: 'plain' },
  'addon-deactivated': { letter: 'D', pattern: 'rising' },
  'consent-withdrawn': { letter: 'W', pattern: 'falling' },
  'account-disabled': { letter: 'A', pattern: 'level' },
  'revoked-by-addon': { letter: 'G', pattern: 'upright' },
  'revoked-by-operator': { letter: 'O', pattern: 'upright' },
  'scope-removed': { letter: 'S', pattern: 'upright' },
  'redirect-uri-removed': { letter: 'U', pattern: 'upright' },
  'role-lost': { letter: 'L', pattern: 'level' },
  'addon-retired': { letter: 'T', pattern: 'rising' },
  'refresh-token-reused': { letter: 'R', pattern: 'cross' },
  'code-replayed': { letter: 'C', pattern: 'cross' },
  'too-many-failed-proofs': { letter: 'P', pattern: 'cross' },
  'code-expired': { letter: 'N', pattern: 'dots' },
  'tokens-expired': { letter: 'E', pattern: 'dots' },
};

/** Patterns that the bars of a page refer to: lines in the colour of the card. */
export const patternDefinitions = `<svg class="definitions" width="0" height="0" aria-hidden="true" focusable="false"><defs>
<pattern id="pattern-rising" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2.5" height="6" class="cut"/></pattern>
<pattern id="pattern-falling" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="2.5" height="6" class="cut"/></pattern>
<pattern id="pattern-upright" width="5" height="6" patternUnits="userSpaceOnUse"><rect width="2" height="6" class="cut"/></pattern>
<pattern id="pattern-level" width="6" height="5" patternUnits="userSpaceOnUse"><rect width="6" height="2" class="cut"/></pattern>
<pattern id="pattern-dots" width="6" height="6" patternUnits="userSpaceOnUse"><circle cx="3" cy="3" r="1.5" class="cut"/></pattern>
<pattern id="pattern-cross" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 0L6 6M6 0L0 6" class="cut-line"/></pattern>
</defs></svg>`;
