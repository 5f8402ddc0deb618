import type { EndReason } from '../../../audit/timeline/timeline.ts';

export type EndMark = {
  /** One letter at the end of the bar. */
  readonly letter: string;
  readonly words: string;
  /** A pattern from the page's definitions, so that nobody has to distinguish colours. */
  readonly pattern: 'plain' | 'rising' | 'falling' | 'upright' | 'level' | 'dots' | 'cross';
};

export type BarKind = EndReason | 'open';

/** How a bar shows why its grant ended: a colour (by its class), a pattern, a letter, and words in the legend. */
export const endMarks: Readonly<Record<BarKind, EndMark>> = {
  open: { letter: '→', words: 'still open', pattern: 'plain' },
  'addon-deactivated': { letter: 'D', words: 'the add-on was deactivated', pattern: 'rising' },
  'consent-withdrawn': { letter: 'W', words: 'the approval was withdrawn', pattern: 'falling' },
  'account-disabled': { letter: 'A', words: 'the account was disabled', pattern: 'level' },
  'revoked-by-addon': { letter: 'G', words: 'the add-on revoked it', pattern: 'upright' },
  'revoked-by-operator': {
    letter: 'O',
    words: 'an operator or administrator revoked it',
    pattern: 'upright',
  },
  'scope-removed': { letter: 'S', words: 'the add-on may no longer ask for a scope', pattern: 'upright' },
  'redirect-uri-removed': { letter: 'U', words: 'its redirect URI was removed', pattern: 'upright' },
  'role-lost': { letter: 'L', words: 'the approving user lost the role', pattern: 'level' },
  'addon-retired': { letter: 'T', words: 'the add-on was retired', pattern: 'rising' },
  'refresh-token-reused': {
    letter: 'R',
    words: 'a used refresh token was presented again',
    pattern: 'cross',
  },
  'code-replayed': { letter: 'C', words: 'the code was presented a second time', pattern: 'cross' },
  'too-many-failed-proofs': { letter: 'P', words: 'too many failed proofs', pattern: 'cross' },
  'code-expired': { letter: 'N', words: 'the code was never exchanged', pattern: 'dots' },
  'tokens-expired': { letter: 'E', words: 'the tokens expired', pattern: 'dots' },
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
