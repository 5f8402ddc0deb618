import { passkeySignInQuery, signInQuery } from '../contracts/page-forms.ts';
import { formRefused, goOn, page, pageTrouble, tooManyRequests } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { always } from '../openapi/headers.ts';
import { open } from '../openapi/page-operations.ts';

/** Signing in and out. */
export const sessionPaths = {
  '/sign-in': {
    GET: {
      ...open,
      id: 'sign-in-page',
      summary: 'Show the sign-in page',
      query: signInQuery,
      answers: [
        page(200, 'The page.'),
        goOn('To the next page, when already signed in; or to the only provider.', '/admin'),
        tooManyRequests,
        ...pageTrouble,
      ],
    },
    POST: {
      ...open,
      id: 'sign-in',
      summary: 'Sign in',
      form: 'SignInForm',
      answers: [
        goOn('Signed in.', '/admin'),
        page(401, 'Wrong e-mail address or password.'),
        page(429, 'Too many attempts; this one was not checked.', { 'Retry-After': always() }),
        ...pageTrouble,
      ],
    },
  },
  '/sign-in/passkey': {
    GET: {
      ...open,
      id: 'passkey-sign-in-page',
      summary: 'Show the page for signing in with a passkey',
      description: 'One of the two pages with a script.',
      query: passkeySignInQuery,
      answers: [
        page(200, 'The page, or why there are no passkeys here.'),
        page(403, 'Local sign-in is switched off.'),
        ...pageTrouble,
      ],
    },
    POST: {
      ...open,
      id: 'sign-in-with-passkey',
      summary: 'Sign in with a passkey',
      form: 'PasskeySignInForm',
      answers: [
        page(200, 'Why there are no passkeys here.'),
        goOn('Signed in.', '/admin'),
        page(401, 'The passkey does not sign anybody in.'),
        page(403, 'Local sign-in is switched off.'),
        page(429, 'Too many attempts; this one was not checked.', { 'Retry-After': always() }),
        ...pageTrouble,
      ],
    },
  },
  '/sign-out': {
    GET: {
      ...open,
      id: 'sign-out-page',
      summary: 'Ask before signing out',
      answers: [page(200, 'The page.'), ...pageTrouble],
    },
    POST: {
      ...open,
      id: 'sign-out',
      summary: 'Sign out',
      description: 'Ends the session of this browser. Add-ons that were allowed keep working.',
      form: 'SessionForm',
      answers: [goOn('Signed out.', '/sign-out'), formRefused, ...pageTrouble],
    },
  },
} satisfies Paths;
