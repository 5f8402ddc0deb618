import * as client from 'openid-client';
import { expectThat, type Narrator, shortSecret } from '../narrator.ts';
import { known, type Story } from '../cast.ts';
import { told } from './authorize.ts';

/** The parts of a list page that a client following links needs. */
type ListPage = {
  readonly items: readonly { readonly id: string }[];
  readonly _pagination: { readonly page: number; readonly pages: number; readonly total_items: number };
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
};

export const listAccessRights = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const ids = new Set<string>();
  let next: string | undefined = `${state.baseUrl}/access-rights`;
  let total = 0;
  while (next !== undefined) {
    tell.sent(`GET ${next.replace(/cursor=[^&]*/, 'cursor=…')}`);
    const { items, _pagination, _links } = await getList(state, next);
    const { page, pages, total_items: totalItems } = _pagination;
    next = _links.find(({ rel }) => rel === 'next')?.href;
    tell.received(
      `200 page ${page} of ${pages}: ${items.length} items, ${next === undefined ? 'no next link' : 'a next link'}`,
    );
    for (const { id } of items) ids.add(id);
    total = totalItems;
  }
  expectThat(total > 0, 'the list is empty');
  expectThat(ids.size === total, `${ids.size} different items, but total_items is ${total}`);
  tell.note(`${ids.size} access rights, each exactly once.`);
  return {};
};

type Grant = {
  readonly subject: { readonly type: string; readonly id: string; readonly name: string };
  readonly expires_at: string;
  readonly links: Readonly<Record<string, string>>;
};

export const askForWhom = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const address = new URL(`${state.baseUrl}/grant`);
  tell.sent(`GET ${address.pathname}`);
  const token = known(state, 'accessToken');
  const answer = await client.fetchProtectedResource(known(state, 'client'), token, address, 'GET');
  const { subject, expires_at: expiresAt, links } = (await answer.json()) as Grant;
  expectThat(subject.id === state.organizationId, `the token is for ${subject.id}`);
  const lists = Object.keys(links).join(', ');
  tell.received(`200 ${subject.type} "${subject.name}", until ${expiresAt}, for the lists ${lists}`);
  return {};
};

const getList = async (state: Story, address: string): Promise<ListPage> => {
  const token = known(state, 'accessToken');
  const answer = await client.fetchProtectedResource(known(state, 'client'), token, new URL(address), 'GET');
  expectThat(answer.status === 200, `the list answered ${answer.status}`);
  return (await answer.json()) as ListPage;
};

export const refresh = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const before = known(state, 'refreshToken');
  tell.sent(`POST /oauth/token grant_type=refresh_token refresh_token=${shortSecret(before)}`);
  const after = told(state, await client.refreshTokenGrant(known(state, 'client'), before), tell);
  expectThat(after.refreshToken !== before, 'the refresh token is still the old one');
  expectThat(after.accessToken !== state.accessToken, 'the access token is still the old one');
  await getList({ ...state, ...after }, `${state.baseUrl}/access-rights?per_page=1`);
  tell.note('Both tokens are new, and the new access token gives access to the list.');
  return after;
};
