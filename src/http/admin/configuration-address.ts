import { randomBytes } from 'node:crypto';
import { appendParameters } from '../answers/append-parameters.ts';

/**
 * Where the browser goes after an activation: the add-on's configuration URL with an opaque hint. The hint proves
 * nothing; the proof is the hand-off in the administrator's session (AC-01).
 */
export const configurationAddress = (configurationUrl: string): string =>
  appendParameters(configurationUrl, { activation_hint: randomBytes(16).toString('base64url') });
