import { logoutParameters } from '../../contracts/logout-parameters.ts';
import { preflightOf } from '../../requests/cors.ts';
import {
  bearerChallenge,
  bearerProblems,
  goOn,
  json,
  limitedByBearer,
  notKept,
  page,
  pageTrouble,
  problems,
} from '../../openapi/answers.ts';
import type { Operation, Paths } from '../../openapi/describe.ts';
import { organizationId, userId } from '../../openapi/examples.ts';
import { exposedLimits } from '../../limits/rate-limits.ts';
import { always, sometimes, type HeaderUses } from '../../openapi/headers.ts';

/** For `preflightOf` and `answerPreflight`. */
export const userInfoPreflight = ['GET, POST', ['authorization', 'content-type']] as const;

const anywhere: HeaderUses = { 'Access-Control-Allow-Origin': always('*') };
const exposed = `${exposedLimits}, WWW-Authenticate`;
const mostly: HeaderUses = {
  'Access-Control-Allow-Origin': sometimes('*'),
  'Access-Control-Expose-Headers': sometimes(exposed),
};

const userInfo = {
  tag: 'Identity',
  summary: 'Get the signed-in user',
  description:
    'The user who allowed the add-on, for an access token with the scope `openid`: its `sub`, what `profile` and `email` open, and the organization, if the token opens its records.',
  security: ['openid'],
} as const satisfies Partial<Operation>;

const found = json(
  200,
  'The user.',
  'UserInfo',
  { ...notKept, ...anywhere, 'Access-Control-Expose-Headers': always(exposed), ...limitedByBearer },
  {
    'an organization’s grant': {
      sub: userId,
      name: 'Ada Ahoi',
      email: 'ada@harbour.example',
      email_verified: true,
      organization_id: organizationId,
      organization_name: 'Harbour Club',
      external_id: 'harbour-club',
    },
    'a user’s own': { sub: userId },
  },
);

const refused = (...more: readonly ('too-large' | 'unsupported-media-type')[]) =>
  problems(
    ['malformed-request', ...bearerProblems, ...more],
    { ...mostly, ...limitedByBearer },
    {
      400: { 'WWW-Authenticate': sometimes() },
      401: bearerChallenge,
      403: bearerChallenge,
    },
  );

const logout = {
  tag: 'Identity',
  description:
    'Send the user’s browser here to end its session. With an id_token of the user who is signed in it ends at once; otherwise a page asks. Grants of add-ons stay valid.',
  security: [],
  answers: [
    page(200, 'The page that asks, or that says that nobody is signed in.'),
    goOn('Signed out: on to `post_logout_redirect_uri` with `state`, or to our own page.', '/sign-out'),
    ...pageTrouble,
  ],
} as const satisfies Partial<Operation>;

/** The endpoints of OpenID Connect (Core §5.3, RP-Initiated Logout §2). */
export const identityPaths = {
  '/oauth/userinfo': {
    GET: { ...userInfo, id: 'userinfo', answers: [found, ...refused()] },
    POST: {
      ...userInfo,
      id: 'userinfo-by-form',
      summary: 'Get the signed-in user, by a form',
      form: 'UserInfoForm',
      answers: [found, ...refused('too-large', 'unsupported-media-type')],
    },
    OPTIONS: preflightOf({
      id: 'userinfo-preflight',
      tag: 'Identity',
      summary: 'CORS preflight for userinfo',
      methods: userInfoPreflight[0],
      headers: userInfoPreflight[1],
      more: { 'RateLimit-Policy': limitedByBearer['RateLimit-Policy'] },
    }),
  },
  '/oauth/logout': {
    GET: { id: 'logout', summary: 'Ask for a sign-out', ...logout, query: logoutParameters },
    POST: {
      id: 'logout-by-form',
      summary: 'Ask for a sign-out, by a form',
      ...logout,
      form: 'SignOutRequest',
    },
  },
} satisfies Paths;
