import { randomBytes } from 'node:crypto';
import { appendParameters } from '../answers/append-parameters.ts';

/**
 * The add-on's configuration URL with an opaque hint, which proves nothing: the session's hand-off does (AC-01); and the organization,
 * as the add-on may pass it on to `/oauth/authorize` (AP-03).
 */
export const configurationAddress = (configurationUrl: string, organizationId: string): string =>
  appendParameters(configurationUrl, {
    activation_hint: randomBytes(16).toString('base64url'),
    organization: organizationId,
  });
