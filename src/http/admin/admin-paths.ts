import { adminQuery, grantPagesQuery, receiptQuery } from '../contracts/page-forms.ts';
import { formRefused, goOn, page, pageTrouble, toSignIn } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { always } from '../openapi/headers.ts';
import { button, open, signedIn } from '../openapi/page-operations.ts';

const notYours = page(403, 'The organization is not yours.');
const noSuchAddon = page(404, 'There is no such add-on.');

/** The home page, common to all users. */
export const homePaths = {
  '/': {
    GET: {
      ...open,
      id: 'home',
      summary: 'Go to the first page',
      answers: [goOn('On.', '/admin'), ...pageTrouble],
    },
  },
} satisfies Paths;

/** Pages for the administrators of an organization. */
export const adminPaths = {
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
  '/admin/organizations/{organization_id}/addons/{client_id}': {
    GET: {
      ...signedIn,
      id: 'addon-page',
      summary: 'Show one add-on of an organization',
      description: 'Its state, grants, approvers, last token, and who activated and deactivated it.',
      answers: [page(200, 'The page.'), toSignIn, notYours, noSuchAddon, ...pageTrouble],
    },
  },
  '/admin/organizations/{organization_id}/addons/{client_id}/activate': {
    POST: button(
      'activate-by-hand',
      'Activate an add-on on the page',
      page(429, 'It was activated too often within a day.', { 'Retry-After': always() }),
    ),
  },
  '/admin/organizations/{organization_id}/addons/{client_id}/deactivate': {
    GET: {
      ...signedIn,
      id: 'deactivate-page',
      summary: 'Show what a deactivation would stop',
      answers: [
        page(200, 'The page.'),
        goOn('To the add-on’s page, when it is not active; to the sign-in page.', '/admin'),
        notYours,
        noSuchAddon,
        ...pageTrouble,
      ],
    },
    POST: button('deactivate-by-hand', 'Deactivate an add-on on the page'),
  },
  '/admin/organizations/{organization_id}/addons/{client_id}/grants': {
    GET: {
      ...signedIn,
      id: 'addon-grants-page',
      summary: 'Show the live grants of an add-on, each with a form that revokes it',
      query: grantPagesQuery,
      answers: [page(200, 'The page.'), toSignIn, notYours, noSuchAddon, ...pageTrouble],
    },
  },
  '/admin/organizations/{organization_id}/addons/{client_id}/grants/{grant_id}/revoke': {
    POST: {
      ...signedIn,
      id: 'revoke-grant-by-hand',
      summary: 'Revoke one grant on the page',
      form: 'RevokeGrantForm',
      answers: [
        goOn('Done: back to the grants, or to the sign-in page.', '/admin'),
        page(400, 'The reason is refused.'),
        formRefused,
        page(404, 'The add-on has no such grant for this organization.'),
        ...pageTrouble,
      ],
    },
  },
  '/admin/organizations/{organization_id}/addons/{client_id}/receipt': {
    GET: {
      ...signedIn,
      id: 'receipt-page',
      summary: 'Show the receipt of a deactivation',
      description:
        'The deactivation and its revocations as they are in the log now; with the signed receipt in the address, also when it took effect and what it ended.',
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
} satisfies Paths;
