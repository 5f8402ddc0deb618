import {
  accountQuery,
  adminQuery,
  continueQuery,
  receiptQuery,
  signInQuery,
} from '../../contracts/page-forms.ts';
import { backToAddon, formRefused, goOn, page, pageTrouble, toSignIn } from '../answers.ts';
import type { Operation, Paths } from '../describe.ts';
import { always } from '../headers.ts';

const open = { tag: 'Pages', security: [] } as const satisfies Partial<Operation>;
const signedIn = { tag: 'Pages', security: ['session'] } as const satisfies Partial<Operation>;

const notYours = page(403, 'The organization is not yours.');
const noSuchAddon = page(404, 'There is no such add-on.');
const ofAddon = '/admin/organizations/{organization_id}/addons/{client_id}';

const button = (id: string, summary: string, ...more: Operation['answers']): Operation => ({
  ...signedIn,
  id,
  summary,
  form: 'SessionForm',
  answers: [
    goOn(
      'On: to the add-on’s configuration URL, to the page that shows the effect, or to the sign-in page.',
      '/admin',
    ),
    formRefused,
    ...more,
    ...pageTrouble,
  ],
});

/** For people; the forms are those of our own pages. */
export const pagePaths: Paths = {
  '/oauth/authorize/continue': {
    GET: {
      ...open,
      id: 'continue-authorization',
      summary: 'Go on after signing in',
      query: continueQuery,
      answers: [page(200, 'The sign-in page or the approval page.'), backToAddon, ...pageTrouble],
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
      summary: 'Sign in as somebody else before answering',
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
  '/sign-in': {
    GET: {
      ...open,
      id: 'sign-in-page',
      summary: 'Show the sign-in page',
      query: signInQuery,
      answers: [
        page(200, 'The page.'),
        goOn('On, when somebody is signed in already.', '/admin'),
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
        page(429, 'Too many attempts; this one was not looked at.', { 'Retry-After': always() }),
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
  '/': {
    GET: {
      ...open,
      id: 'home',
      summary: 'Go to the first page',
      answers: [goOn('On.', '/admin'), ...pageTrouble],
    },
  },
  '/account': {
    GET: {
      ...signedIn,
      id: 'account-page',
      summary: 'Show what the user allowed to add-ons',
      query: accountQuery,
      answers: [page(200, 'The page.'), toSignIn, ...pageTrouble],
    },
  },
  '/account/addons/{client_id}/withdraw': {
    GET: {
      ...signedIn,
      id: 'withdraw-page',
      summary: 'Ask before what was allowed is taken back',
      answers: [
        page(200, 'The page.'),
        toSignIn,
        page(404, 'There is nothing to take back.'),
        ...pageTrouble,
      ],
    },
    POST: {
      ...button('withdraw', 'Take back what was allowed to an add-on'),
      description: 'Ends every access of the add-on to the user’s own records.',
      answers: [
        goOn('On, to what is still allowed, or to the sign-in page.', '/account'),
        formRefused,
        page(404, 'There is nothing to take back.'),
        ...pageTrouble,
      ],
    },
  },
  '/admin': {
    GET: {
      ...signedIn,
      id: 'organizations-page',
      summary: 'Show the organizations that the user administers',
      answers: [page(200, 'The page.'), toSignIn, ...pageTrouble],
    },
  },
  '/admin/organizations/{organization_id}': {
    GET: {
      ...signedIn,
      id: 'addons-page',
      summary: 'Show the add-ons of an organization',
      query: adminQuery,
      answers: [page(200, 'The page.'), toSignIn, formRefused, ...pageTrouble],
    },
  },
  [ofAddon]: {
    GET: {
      ...signedIn,
      id: 'addon-page',
      summary: 'Show one add-on of an organization',
      description:
        'Its state, connections, who approved them, when it was given a token last, who activated and deactivated it.',
      answers: [page(200, 'The page.'), toSignIn, notYours, noSuchAddon, ...pageTrouble],
    },
  },
  [`${ofAddon}/activate`]: {
    POST: button(
      'activate-by-hand',
      'Activate an add-on by hand',
      page(429, 'It was activated too often within a day.', { 'Retry-After': always() }),
    ),
  },
  [`${ofAddon}/deactivate`]: {
    GET: {
      ...signedIn,
      id: 'deactivate-page',
      summary: 'Say what a deactivation would stop, before it',
      answers: [
        page(200, 'The page.'),
        goOn('To the add-on’s page, when it is not active; to the sign-in page.', '/admin'),
        notYours,
        noSuchAddon,
        ...pageTrouble,
      ],
    },
    POST: button('deactivate-by-hand', 'Deactivate an add-on by hand'),
  },
  [`${ofAddon}/receipt`]: {
    GET: {
      ...signedIn,
      id: 'receipt-page',
      summary: 'Show the receipt of a deactivation',
      description:
        'What the log says about the deactivation and its revocations now; with the signed receipt in its address, also from when it was in force and what it ended.',
      query: receiptQuery,
      answers: [
        page(200, 'The page.'),
        toSignIn,
        notYours,
        page(404, 'There is no such add-on, or it was never deactivated.'),
        ...pageTrouble,
      ],
    },
  },
};
