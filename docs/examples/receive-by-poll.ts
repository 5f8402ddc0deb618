import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';

type Receiver = { issuer: string; clientId: string; clientSecret: string; endpointUrl: string };
type Answer = { status: number; access_token?: string; sets?: Record<string, string> };

const post = async (url: string, authorization: string, type: string, body: string): Promise<Answer> => {
  const answer = await fetch(url, { method: 'POST', headers: { authorization, 'content-type': type }, body });
  return { ...((await answer.json()) as Answer), status: answer.status };
};

export const receiveByPoll = async (receiver: Receiver, handle: (set: JWTPayload) => Promise<void>) => {
  const { issuer, clientId, clientSecret, endpointUrl } = receiver;
  const keys = createRemoteJWKSet(new URL(`${issuer}/oauth/jwks`));
  const expected = { issuer, audience: clientId, typ: 'secevent+jwt' };
  const [form, basic] = ['application/x-www-form-urlencoded', btoa(`${clientId}:${clientSecret}`)];
  const asked = 'grant_type=client_credentials&scope=ssf.read';
  const takeToken = async () => {
    const answer = await post(`${issuer}/oauth/token`, `Basic ${basic}`, form, asked);
    if (answer.status !== 200) throw new Error(`the request for a token was answered ${answer.status}`);
    return `Bearer ${answer.access_token}`;
  };
  for (let [bearer, ack] = [await takeToken(), new Array<string>()]; ;) {
    const body = JSON.stringify({ ack });
    const { status, sets = {} } = await post(endpointUrl, bearer, 'application/json', body);
    if (status === 401) bearer = await takeToken();
    else if (status !== 200) throw new Error(`the poll was answered ${status}`);
    else ack = Object.keys(sets);
    for (const set of Object.values(sets)) await handle((await jwtVerify(set, keys, expected)).payload);
  }
};
