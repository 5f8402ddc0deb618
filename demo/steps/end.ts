import * as client from 'openid-client';
import { expectThat, type Narrator, shortSecret } from '../narrator.ts';
import { known, type Story } from '../cast.ts';
import type { Page } from '../browser.ts';
import { buttonOf, deactivateByHand, openActive, openUntil, pressActivate } from './administrator.ts';

export const deactivate = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const { browser, baseUrl, organizationId, clientId } = state;
  const address = `${baseUrl}/admin/organizations/${organizationId}`;
  tell.sent(`GET ${address}/addons/${clientId}/deactivate`);
  const page = await openActive(browser, address, clientId);
  const { question, receipt } = await deactivateByHand(browser, page, clientId);
  tell.received(`${question.status} page "${question.heading}", which says what stops`);
  tell.sent('POST the form of the button "Deactivate"');
  expectThat(
    receipt.status === 200 && receipt.url.searchParams.has('receipt'),
    `no receipt, but ${receipt.status} "${receipt.heading}" at ${receipt.url.pathname}`,
  );
  tell.received(`303 to the page "${receipt.heading}"`);
  const isOffered = (shown: Page) => buttonOf(shown, clientId, 'Activate') !== null;
  const addonsPage = await openUntil(browser, address, isOffered);
  expectThat(isOffered(addonsPage), `the page "${addonsPage.heading}" does not show it as deactivated`);
  return { addonsPage };
};

export const showRefusals = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  await expectListRefused(state, tell);
  await expectRefreshRefused(state, tell);
  return {};
};

export const startOver = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  await pressActivate(state, known(state, 'addonsPage'), tell);
  await expectListRefused(state, tell);
  await expectRefreshRefused(state, tell);
  tell.note('A new activation is a new epoch: the add-on has to be allowed again.');
  return {};
};

const expectListRefused = async (state: Story, tell: Narrator): Promise<void> => {
  const token = known(state, 'accessToken');
  const address = new URL(`${state.baseUrl}/access-rights`);
  tell.sent(`GET ${address.pathname} with ${shortSecret(token)}`);
  // Not with the library's call, which turns a 401 into an exception without reading the body.
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  expectThat(answer.status === 401, `the list answered ${answer.status} to a token that has ended`);
  const { type = '', title = '' } = (await answer.json()) as { type?: string; title?: string };
  expectThat(type.endsWith('addon-deactivated'), `the problem is "${type}", not addon-deactivated`);
  tell.received(`401 ${type.split('/').at(-1)}: ${title}`);
};

const expectRefreshRefused = async (state: Story, tell: Narrator): Promise<void> => {
  const token = known(state, 'refreshToken');
  tell.sent(`POST /oauth/token grant_type=refresh_token refresh_token=${shortSecret(token)}`);
  const error: unknown = await client.refreshTokenGrant(known(state, 'client'), token).then(
    () => null,
    (cause: unknown) => cause,
  );
  expectThat(error !== null, 'the refresh token still works');
  if (!(error instanceof client.ResponseBodyError)) throw error;
  expectThat(error.error === 'invalid_grant', `the refusal is ${error.error}, not invalid_grant`);
  tell.received(`${error.status} ${error.error}: ${error.error_description ?? ''}`);
};
