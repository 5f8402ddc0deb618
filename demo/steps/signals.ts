import { setTimeout as delay } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import * as client from 'openid-client';
import { expectThat, type Narrator, shortSecret } from '../narrator.ts';
import type { Story } from '../cast.ts';
import { startPushReceiver } from '../push-receiver.ts';
import { deactivateByHand, deactivateLink, openActive, openListOf, pressActivate } from './administrator.ts';

/** How long the demo waits for any SET, and for the keys: a busy machine takes its time to make the first ones. */
const patience = 60_000;

const pollMethod = 'urn:ietf:rfc:8936';
const pushMethod = 'urn:ietf:rfc:8935';
const verification = 'https://schemas.openid.net/secevent/ssf/event-type/verification';

/** A Security Event Token whose signature was checked, and when it was held. */
type Held = { readonly jti: string; readonly events: Readonly<Record<string, unknown>>; readonly at: number };

/** The next SET that holds an event of this type; others are acknowledged on the way. */
type NextOf = (type: string) => Promise<Held>;

/** SET for SET by poll (RFC 8936). */
export const toldByPoll = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const api = await takeToken(state, tell);
  const stream = await createStream(api, { method: pollMethod }, tell);
  const { endpoint_url: endpoint } = stream.delivery;
  let acknowledged: readonly string[] = [];
  const poll = async (): Promise<readonly [string, string][]> => {
    const { sets } = (await api.ask('POST', endpoint, { maxEvents: 1, ack: acknowledged })) as Sets;
    acknowledged = Object.keys(sets);
    return Object.entries(sets);
  };
  const nextOf: NextOf = async (type) => {
    const until = Date.now() + patience;
    while (Date.now() < until)
      for (const [, set] of await poll()) {
        const held = await api.check(set);
        if (type in held.events) return held;
      }
    throw new Error(`no SET of the type ${type} within ${patience / 1000} s`);
  };
  tell.note(`The add-on waits at POST ${new URL(endpoint).pathname}`);
  await verifyAndWatch(state, api, stream, nextOf, tell);
  await api.ask('POST', endpoint, { maxEvents: 0, returnImmediately: true, ack: acknowledged });
  await api.ask('DELETE', api.streamAddress(stream.stream_id));
  return {};
};

/** The same by push (RFC 8935), to a server of the add-on on this machine. */
export const toldByPush = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const receiver = await startPushReceiver();
  try {
    const api = await takeToken(state, tell);
    const delivery = {
      method: pushMethod,
      endpoint_url: receiver.url,
      authorization_header: receiver.authorization,
    };
    const stream = await createStream(api, delivery, tell);
    const nextOf: NextOf = async (type) => {
      const until = Date.now() + patience;
      while (Date.now() < until) {
        const pushed = receiver.take();
        const held = pushed && { ...(await api.check(pushed.set)), at: pushed.at };
        if (held && type in held.events) return held;
        if (!pushed) await delay(2);
      }
      throw new Error(`no SET of the type ${type} was pushed within ${patience / 1000} s`);
    };
    await verifyAndWatch(state, api, stream, nextOf, tell);
    await api.ask('DELETE', api.streamAddress(stream.stream_id));
  } finally {
    await receiver.close();
  }
  return {};
};

type Sets = { readonly sets: Readonly<Record<string, string>> };
type Stream = {
  readonly stream_id: string;
  readonly iss: string;
  readonly delivery: { readonly method: string; readonly endpoint_url: string };
};

type Api = Awaited<ReturnType<typeof takeToken>>;

/** The add-on's own token, and the calls that it makes with it. */
const takeToken = async (state: Story, tell: Narrator) => {
  const { baseUrl, receiver } = state;
  const config = await client.discovery(
    new URL(baseUrl),
    receiver.clientId,
    undefined,
    client.ClientSecretBasic(receiver.clientSecret),
    { algorithm: 'oauth2', execute: baseUrl.startsWith('http:') ? [client.allowInsecureRequests] : [] },
  );
  tell.sent('POST /oauth/token grant_type=client_credentials scope=ssf.read ssf.manage');
  const { access_token: token, expires_in: seconds } = await client.clientCredentialsGrant(config, {
    scope: 'ssf.read ssf.manage',
  });
  tell.received(`200 access_token ${shortSecret(token)} for ${seconds} s, of the add-on itself`);
  const { jwks_uri: jwksUri = '', issuer } = config.serverMetadata();
  const keys = createRemoteJWKSet(new URL(jwksUri), { timeoutDuration: patience });
  const streams = `${baseUrl}/ssf/streams`;
  return {
    baseUrl,
    streams,
    issuer,
    streamAddress: (id: string) => `${streams}?stream_id=${encodeURIComponent(id)}`,
    ask: async (method: string, address: string, body?: object): Promise<unknown> => {
      const answer = await fetch(address, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      expectThat(answer.ok, `${method} ${new URL(address).pathname} answered ${answer.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    },
    check: async (set: string): Promise<Held> => {
      const at = Date.now();
      const { payload } = await jwtVerify<JWTPayload & Pick<Held, 'events'>>(set, keys, {
        issuer,
        audience: receiver.clientId,
        typ: 'secevent+jwt',
      });
      return { jti: payload.jti ?? '', events: payload.events, at };
    },
  };
};

/** An add-on has one stream: one from an earlier run is deleted first. */
const createStream = async (api: Api, delivery: object, tell: Narrator): Promise<Stream> => {
  const found = (await api.ask('GET', api.streams)) as readonly Stream[];
  for (const { stream_id: id } of found) await api.ask('DELETE', api.streamAddress(id));
  const asked = { delivery, events_requested: [`${api.issuer}/signals/addon-deactivated`] };
  tell.sent(
    `POST /ssf/streams ${JSON.stringify({ ...asked, delivery: { ...delivery, ...hidden(delivery) } })}`,
  );
  const stream = (await api.ask('POST', api.streams, asked)) as Stream;
  tell.received(`201 stream ${stream.stream_id}`);
  return stream;
};

const hidden = (delivery: object): object =>
  'authorization_header' in delivery ? { authorization_header: '…' } : {};

/** Verifies the stream; then the administrator switches the add-on on and off, and the add-on is notified. */
const verifyAndWatch = async (
  state: Story,
  api: Api,
  stream: Stream,
  nextOf: NextOf,
  tell: Narrator,
): Promise<void> => {
  const secret = client.randomState();
  tell.sent(`POST /ssf/verify state=${secret.slice(0, 8)}…`);
  await api.ask('POST', `${api.baseUrl}/ssf/verify`, { stream_id: stream.stream_id, state: secret });
  const verified = await nextOf(verification);
  const { state: returned } = verified.events[verification] as { readonly state?: string };
  expectThat(returned === secret, 'the verification event has another state');
  tell.received(`SET ${verified.jti}: verification, with the same state`);

  const address = `${state.baseUrl}/admin/organizations/${state.organizationId}`;
  const cast = { ...state, clientId: state.receiver.clientId };
  const page = await openListOf(state.browser, address, cast.clientId);
  if (deactivateLink(page, cast.clientId) === null) await pressActivate(cast, page, tell);
  const deactivated = `${api.issuer}/signals/addon-deactivated`;
  const told = nextOf(deactivated);
  told.catch(() => undefined); // awaited below, after the deactivation
  const activePage = await openActive(state.browser, address, cast.clientId);
  tell.sent('POST the form of the button "Deactivate"');
  const { receipt, pressedAt } = await deactivateByHand(state.browser, activePage, cast.clientId);
  const receivedAt = Date.now();
  expectThat(
    receipt.url.searchParams.has('receipt'),
    `no receipt, but ${receipt.status} "${receipt.heading}"`,
  );
  tell.received(`the page "${receipt.heading}": the administrator has the receipt`);
  const held = await told;
  const after = Math.max(0, held.at - receivedAt);
  tell.received(`SET ${held.jti}: ${deactivated.replace(/.*\//, '')}`);
  tell.note(
    `The add-on held the SET ${after} ms after the administrator's receipt, ${held.at - pressedAt} ms after the button was pressed.`,
  );
};
