import { notKept, oauthErrors } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { sometimes } from '../openapi/headers.ts';

/** What OpenID providers call. */
export const federationPaths = {
  '/sign-in/backchannel-logout/{provider}': {
    POST: {
      tag: 'Identity',
      security: [],
      id: 'backchannel-logout',
      summary: 'End the sessions of a user who signed out at a provider',
      description: 'OpenID Connect Back-Channel Logout 1.0: only the provider calls it.',
      form: 'BackchannelLogoutForm',
      answers: [
        { status: 200, description: 'The sessions have ended.', headers: notKept },
        ...oauthErrors(
          { 400: ['invalid_request'], 429: ['temporarily_unavailable'] },
          { 'Retry-After': sometimes() },
        ),
      ],
    },
  },
} satisfies Paths;
