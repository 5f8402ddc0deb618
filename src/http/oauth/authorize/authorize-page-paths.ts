import { continueQuery } from '../../contracts/page-forms.ts';
import { backToAddon, goOn, page, pageTrouble, tooManyRequests } from '../../openapi/answers.ts';
import type { Paths } from '../../openapi/describe.ts';
import { open, signedIn } from '../../openapi/page-operations.ts';

/** Sign-in, approval and sign-out pages within an authorization; only our own pages send these forms. */
export const authorizePagePaths = {
  '/oauth/authorize/continue': {
    GET: {
      ...open,
      id: 'continue-authorization',
      summary: 'Go on after signing in',
      query: continueQuery,
      answers: [
        page(200, 'The sign-in page or the approval page.'),
        backToAddon,
        tooManyRequests,
        ...pageTrouble,
      ],
    },
  },
  '/oauth/authorize/decision': {
    POST: {
      ...signedIn,
      id: 'decide',
      summary: 'Answer the approval page',
      form: 'DecisionForm',
      answers: [backToAddon, ...pageTrouble],
    },
  },
  '/oauth/authorize/another-user': {
    POST: {
      ...open,
      id: 'another-user',
      summary: 'Sign in with another account before deciding',
      form: 'InteractionForm',
      answers: [
        goOn('To the sign-in page.', '/oauth/authorize/continue?interaction=…'),
        backToAddon,
        ...pageTrouble,
      ],
    },
  },
  '/oauth/logout/continue': {
    GET: {
      ...open,
      id: 'continue-logout',
      summary: 'Go on with a sign-out that a form asked for',
      query: continueQuery,
      answers: [page(200, 'The page that asks.'), goOn('Signed out.', '/sign-out'), ...pageTrouble],
    },
  },
  '/oauth/logout/confirm': {
    POST: {
      ...open,
      id: 'confirm-logout',
      summary: 'Answer the page that asks before signing out',
      form: 'InteractionForm',
      answers: [goOn('Signed out.', '/sign-out'), ...pageTrouble],
    },
  },
} satisfies Paths;
