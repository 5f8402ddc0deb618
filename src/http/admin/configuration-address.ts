import { randomBytes } from 'node:crypto';
import { appendParameters } from '../append-parameters.ts';

/**
 * Where an administrator goes after activating: the add-on's configuration URL with an opaque hint. The hint proves
 * nothing and means nothing to us; the proof is the hand-off in the administrator's session (AC-01).
 */
export const configurationAddress = (configurationUrl: string): string =>
  appendParameters(configurationUrl, { activation_hint: randomBytes(16).toString('base64url') });
