import { verifyCredential } from '../../../src/commands/credentials/credentials.ts';
import type { AdminCall, BearerCall, Call, Issued, Place, TokenCall } from './history.ts';
import type { Answer, Sent } from './http.ts';
import { codeVerifier, type HeldGrant, type Pair, redirectUri, type Tokens } from './pair.ts';
import type { Stage } from './stage.ts';

/** What an add-on and its organization's administrators ask the two instances; every call is noted. */
export type Calls = {
  bearer(kind: BearerCall, place: Place, grant: HeldGrant, tokens: Tokens): Promise<Call>;
  exchange(place: Place, grant: HeldGrant): Promise<Call>;
  /** A pair that is answered is kept with the grant, unless it is the same as the newest. */
  refresh(place: Place, grant: HeldGrant, tokens: Tokens): Promise<Call>;
  activate(place: Place): Promise<Answer>;
  deactivate(place: Place, administrator: 0 | 1): Promise<Answer>;
};

type Noted = { readonly calls: Call[]; readonly adminCalls: AdminCall[] };

export const makeCalls = (stage: Stage, pair: Pair, noted: Noted): Calls => {
  const { wire, core } = stage;
  const { organizationId, addonId, administrators, basic } = pair;

  const note = (call: Call): Call => {
    noted.calls.push(call);
    return call;
  };
  const askForTokens = async (
    kind: TokenCall,
    place: Place,
    grant: HeldGrant,
    form: Readonly<Record<string, string>>,
  ): Promise<Call> => {
    const answer = await wire.send(place, post('/oauth/token', basic, form));
    const tokens = tokensOf(answer);
    if (tokens && grant.pairs.at(-1)?.refresh !== tokens.refresh) grant.pairs.push(tokens);
    const issued: Issued | null = tokens && verifyCredential(core.keys, 'refresh', tokens.refresh);
    return note({
      kind,
      place,
      epoch: grant.epoch,
      ...timesOf(answer),
      accepted: answer.status === 200,
      issued: issued && { grantId: issued.grantId, rotation: issued.rotation },
    });
  };
  const administer = async (kind: AdminCall['kind'], place: Place, session: string): Promise<Answer> => {
    const path = `/organizations/${organizationId}/addons/${addonId}/activation`;
    const method = kind === 'activate' ? 'PUT' : 'DELETE';
    const answer = await wire.send(place, { method, path, headers: {}, session });
    const epoch = answer.body?.['epoch'];
    const { status } = answer;
    noted.adminCalls.push({ kind, place, status, epoch: typeof epoch === 'number' ? epoch : null });
    return answer;
  };

  const calls: Calls = {
    async bearer(asked, place, grant, { access }) {
      // Who has no place yet to ask for changes from reads the list.
      const sync = grant.sync.get(place);
      const kind = asked === 'changes' && sync === undefined ? 'list' : asked;
      const { epoch } = grant;
      const answer = await wire.send(place, bearerRequest(kind, { access, sync: sync ?? '' }, basic));
      const isYes = answer.status === 200;
      const accepted = kind === 'introspect' ? isYes && answer.body?.['active'] === true : isYes;
      const newest = answer.body?.['sync_token'];
      if (accepted && typeof newest === 'string') grant.sync.set(place, newest);
      const noted = note({ kind, place, epoch, ...timesOf(answer), accepted, issued: null });
      return kind !== asked && accepted ? calls.bearer(asked, place, grant, { access, refresh: '' }) : noted;
    },
    exchange: (place, grant) =>
      askForTokens('exchange', place, grant, {
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code: grant.code,
        code_verifier: codeVerifier,
      }),
    refresh: (place, grant, { refresh }) =>
      askForTokens('refresh', place, grant, { grant_type: 'refresh_token', refresh_token: refresh }),
    activate: (place) => administer('activate', place, administrators[0]),
    deactivate: (place, administrator) => administer('deactivate', place, administrators[administrator]),
  };
  return calls;
};

const timesOf = ({ began, answered, status }: Answer) => ({ began, answered, status });

const bearerRequest = (
  kind: BearerCall,
  { access: token, sync }: { readonly access: string; readonly sync: string },
  basic: string,
): Sent => {
  const headers = { authorization: `Bearer ${token}` };
  switch (kind) {
    case 'list':
      return { method: 'GET', path: '/profiles?per_page=1', headers };
    case 'changes':
      return { method: 'GET', path: `/profiles?per_page=1&sync_token=${sync}`, headers };
    case 'userinfo':
      return { method: 'GET', path: '/oauth/userinfo', headers };
    case 'grant':
      return { method: 'GET', path: '/grant', headers };
    case 'introspect':
      return post('/oauth/introspect', basic, { token });
  }
};

const post = (path: string, authorization: string, form: Readonly<Record<string, string>>): Sent => ({
  method: 'POST',
  path,
  headers: { authorization },
  form,
});

const tokensOf = ({ status, body }: Answer): Tokens | null => {
  const [access, refresh] = [body?.['access_token'], body?.['refresh_token']];
  return status === 200 && typeof access === 'string' && typeof refresh === 'string'
    ? { access, refresh }
    : null;
};
