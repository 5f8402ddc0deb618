import { providerReturnQuery, signedOutQuery } from '../contracts/provider-forms.ts';
import { goOn, notKept, oauthErrors, page, pageTrouble, tooManyRequests } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { sometimes } from '../openapi/headers.ts';
import { open } from '../openapi/page-operations.ts';

const troubles = [
  page(403, 'The provider did not sign the user in, or the account is switched off here.'),
  page(404, 'There is no such provider.'),
  page(502, 'The provider’s answer could not be used; the page names the provider.'),
  tooManyRequests,
];

/** Sign-in with OpenID providers. */
export const federationPaths = {
  '/sign-in/with/{provider}': {
    POST: {
      ...open,
      id: 'sign-in-with-provider',
      summary: 'Go to a sign-in provider',
      form: 'InteractionForm',
      answers: [
        goOn('To the provider.', 'https://id.example/authorize?client_id=…'),
        ...troubles,
        ...pageTrouble,
      ],
    },
  },
  '/sign-in/callback/{provider}': {
    GET: {
      ...open,
      id: 'back-from-provider',
      summary: 'Come back from a sign-in provider',
      description: 'The redirect URI that is registered at the provider.',
      query: providerReturnQuery,
      answers: [goOn('Signed in.', '/admin'), ...troubles, ...pageTrouble],
    },
  },
  '/sign-in/backchannel-logout/{provider}': {
    POST: {
      ...open,
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
  '/sign-out/callback/{provider}': {
    GET: {
      ...open,
      id: 'signed-out-at-provider',
      summary: 'Come back from a provider’s sign-out',
      description: 'The post-logout redirect URI that is registered at the provider.',
      query: signedOutQuery,
      answers: [goOn('Signed out.', '/sign-out'), tooManyRequests, ...pageTrouble],
    },
  },
} satisfies Paths;
