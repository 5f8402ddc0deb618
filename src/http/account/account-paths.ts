import { accountQuery } from '../contracts/page-forms.ts';
import { formRefused, goOn, page, pageTrouble, toSignIn } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { button, signedIn } from '../openapi/page-operations.ts';

/** The account page, and the access that a user gave to add-ons. */
export const accountPaths = {
  '/account': {
    GET: {
      ...signedIn,
      id: 'account-page',
      summary: 'Show the user’s sessions, and what the user allowed to add-ons',
      query: accountQuery,
      answers: [page(200, 'The page.'), toSignIn, ...pageTrouble],
    },
  },
  '/account/addons/{client_id}/withdraw': {
    GET: {
      ...signedIn,
      id: 'withdraw-page',
      summary: 'Ask for confirmation before access is withdrawn',
      answers: [page(200, 'The page.'), toSignIn, page(404, 'There is nothing to withdraw.'), ...pageTrouble],
    },
    POST: {
      ...button('withdraw', 'Withdraw the access of an add-on'),
      description: 'Ends every access of the add-on to the user’s own records.',
      answers: [
        goOn('To the account page, or to the sign-in page.', '/account'),
        formRefused,
        page(404, 'There is nothing to withdraw.'),
        ...pageTrouble,
      ],
    },
  },
  '/account/sessions/{session_id}/end': {
    POST: {
      ...button('end-session', 'End another session of the user'),
      answers: [
        goOn('To the account page, or to the sign-in page.', '/account'),
        formRefused,
        page(404, 'There is no such session.'),
        ...pageTrouble,
      ],
    },
  },
  '/account/sessions/end-others': {
    POST: {
      ...button('end-other-sessions', 'End all other sessions of the user'),
      answers: [
        goOn('To the account page, or to the sign-in page.', '/account'),
        formRefused,
        ...pageTrouble,
      ],
    },
  },
} satisfies Paths;
