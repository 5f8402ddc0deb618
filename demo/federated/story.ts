import type { Browser, Page } from '../browser.ts';
import { expectThat, type Narrator, type Step } from '../narrator.ts';
import type { PlatformProvider } from './platform-provider.ts';

export const providerId = 'platform';
export const providerName = 'Platform ID';
const grace = 'grace';

/** The service, the platform's identity provider, and the browser of one of its users. */
export type FederatedCast = {
  readonly baseUrl: string;
  readonly organizationId: string;
  readonly browser: Browser;
  readonly platform: PlatformProvider;
};

type Run = Step<FederatedCast>['run'];

const administer = ({ platform }: FederatedCast, organizations: readonly string[]): void => {
  platform.users.set(grace, {
    name: 'Grace Hopper',
    email: 'grace@platform.example',
    email_verified: true,
    organizations,
  });
  platform.signInAs(grace);
};

const pageOf = ({ baseUrl, organizationId }: FederatedCast): string =>
  `${baseUrl}/admin/organizations/${organizationId}`;

/** Presses the provider's button, and follows the redirects there and back. */
const signInThere = async ({ browser }: FederatedCast, page: Page, tell: Narrator): Promise<Page> => {
  tell.sent(`POST the form of the button "Sign in with ${providerName}"`);
  const back = await browser.press(page, `Sign in with ${providerName}`);
  for (const { status, location } of back.redirects)
    tell.received(`${status} to ${location.replace(/\?.*/, '?…')}`);
  return back;
};

const open = async ({ browser }: FederatedCast, url: string, tell: Narrator): Promise<Page> => {
  tell.sent(`GET ${url}`);
  const page = await browser.open(url);
  tell.received(`${page.status} page "${page.heading}" at ${page.url.pathname}`);
  return page;
};

const signIn: Run = async (cast, tell) => {
  administer(cast, [cast.organizationId]);
  tell.note('The provider says that Grace administers the organization: the claim "organizations".');
  const page = await signInThere(cast, await open(cast, pageOf(cast), tell), tell);
  expectThat(page.status === 200, `signing in ended with ${page.status} "${page.heading}"`);
  expectThat(page.url.href === pageOf(cast), `the browser is at ${page.url.href}`);
  tell.received(`${page.status} page "${page.heading}": Grace has an account here, and administers`);
  return {};
};

const signOutHere = async (cast: FederatedCast, tell: Narrator): Promise<void> => {
  const page = await open(cast, `${cast.baseUrl}/sign-out`, tell);
  tell.sent('POST the form of the button "Sign out"');
  const there = await cast.browser.press(page, 'Sign out');
  expectThat(there.url.origin === cast.platform.issuer, `the browser is at ${there.url.href}`);
  tell.received(`${there.redirects[0]?.status} to the provider: page "${there.heading}"`);
  const back = await cast.browser.press(there, 'Sign out');
  expectThat(back.url.origin === cast.baseUrl, `the browser is at ${back.url.href}`);
  tell.received(`${back.status} page "${back.heading}" at ${back.url.pathname}`);
};

const roleGoes: Run = async (cast, tell) => {
  administer(cast, []);
  tell.note('At the provider, Grace administers nothing any more.');
  await signOutHere(cast, tell);
  const page = await signInThere(cast, await open(cast, pageOf(cast), tell), tell);
  expectThat(page.status !== 200, `the page "${page.heading}" is still shown`);
  tell.received(`${page.status} page "${page.heading}": the role went with the claim`);
  return {};
};

const signOutThere: Run = async (cast, tell) => {
  const before = await open(cast, `${cast.baseUrl}/account`, tell);
  expectThat(before.url.pathname === '/account', 'nobody is signed in');
  const page = await open(cast, `${cast.platform.issuer}/session/end?client_id=grantbook`, tell);
  tell.sent('POST the form of the button "Sign out", at the provider');
  await cast.browser.press(page, 'Sign out');
  tell.note('The provider has sent a logout token to Grantbook (back-channel logout).');
  const after = await open(cast, `${cast.baseUrl}/account`, tell);
  expectThat(after.url.pathname === '/sign-in', `the page "${after.heading}" is still shown`);
  return {};
};

export const federatedStory: readonly Step<FederatedCast>[] = [
  { title: 'A user of the platform signs in, and administers by a claim', run: signIn },
  { title: 'The role ends with the claim, at the next sign-in', run: roleGoes },
  { title: 'Who signs out at the provider is signed out here', run: signOutThere },
];
