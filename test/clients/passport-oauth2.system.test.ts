import express from 'express';
import { randomUUID } from 'node:crypto';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import { expect, test } from 'vitest';
import { makeBrowser } from '../../demo/browser.ts';
import { authentications, startClientScene, type Authentication } from '../support/scenes/client-scene.ts';
import { serve } from '../support/servers/serve.ts';

const scene = await startClientScene();

type Tokens = { readonly accessToken: string; readonly refreshToken: string };
type SignedIn = Tokens & { readonly answer: unknown; readonly profile: unknown };

/** The strategy as it is meant to be extended: the profile is the provider's own, `_oauth2` is for subclasses. */
class GrantbookStrategy extends OAuth2Strategy {
  /** What `authenticate` is called with. */
  override authorizationParams({ organization }: { readonly organization?: string }): object {
    return organization === undefined ? {} : { organization };
  }

  override userProfile(accessToken: string, done: (error?: unknown, profile?: unknown) => void): void {
    this._oauth2.useAuthorizationHeaderforGET(true); // it would put the token into the address
    this._oauth2.get(`${scene.issuer}/oauth/userinfo`, accessToken, (error, body) =>
      error ? done(error) : done(null, JSON.parse(String(body))),
    );
  }

  /** As passport-oauth2-refresh does it; the strategy itself never refreshes. */
  refresh(refreshToken: string): Promise<Tokens> {
    return new Promise((resolve, reject) => {
      const parameters = { grant_type: 'refresh_token' };
      this._oauth2.getOAuthAccessToken(refreshToken, parameters, (error, access, refresh) =>
        error ? reject(error) : resolve({ accessToken: access ?? '', refreshToken: refresh ?? '' }),
      );
    });
  }
}

/** `pkce` and `state` are both off unless asked for. The secret goes into the body; Basic has to be spelt out. */
const optionsFor = async (
  authentication: Authentication,
  callbackURL: string,
  register: typeof scene.register,
) => {
  const { clientId, clientSecret } = await register(authentication, { redirectUris: [callbackURL] });
  const basic = authentication === 'client_secret_basic';
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return {
    authorizationURL: `${scene.issuer}/oauth/authorize`,
    tokenURL: `${scene.issuer}/oauth/token`,
    clientID: clientId,
    clientSecret: basic ? '' : clientSecret,
    customHeaders: basic ? { Authorization: `Basic ${credentials}` } : {},
    callbackURL,
    scope: ['openid', 'profile', 'email', 'profiles:read'],
    pkce: true,
    state: true,
  };
};

const startAddon = async (authentication: Authentication, organization?: string) => {
  const app = express();
  const address = await serve(app);
  const register = organization ? scene.registerActive : scene.register;
  const options = await optionsFor(authentication, `${address}/callback`, register);
  const verify: OAuth2Strategy.VerifyFunction = (
    accessToken: string,
    refreshToken: string,
    answer: unknown,
    profile: unknown,
    done: OAuth2Strategy.VerifyCallback,
  ) => done(null, { accessToken, refreshToken, answer, profile } satisfies SignedIn);
  const strategy = new GrantbookStrategy(options, verify);
  const outcomes: unknown[] = [];
  const instance = new passport.Passport().use(strategy);
  app.use(sessions());
  const asked = { session: false, ...(organization && { organization }) };
  app.get('/login', instance.authenticate('oauth2', asked));
  app.get('/callback', (request, response, next) => {
    const keep = (error: unknown, user: unknown, info: unknown, status?: number) => {
      outcomes.push(error ?? (user || { status, info }));
      response.send('done');
    };
    (instance.authenticate('oauth2', { session: false }, keep) as express.RequestHandler)(
      request,
      response,
      next,
    );
  });
  return { address, login: `${address}/login`, strategy, outcomes };
};

/** What express-session does, as far as the strategy needs it. */
const sessions = (): express.RequestHandler => {
  const known = new Map<string, object>();
  return (request, response, next) => {
    const id = /addon_session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID();
    const session = known.get(id) ?? {};
    known.set(id, session);
    Object.assign(request, { session });
    response.cookie('addon_session', id, { httpOnly: true, sameSite: 'lax' });
    next();
  };
};

test.each(authentications)(
  'TK-07, TK-08, UI-04, RT-02: passport-oauth2 signs in, and its tokens are used and refreshed (%s)',
  async (authentication) => {
    const { login, strategy, outcomes } = await startAddon(authentication);
    await scene.visit(login);
    const [signedIn] = outcomes as SignedIn[];
    expect(signedIn?.profile).toMatchObject({ sub: scene.userId, name: 'Ada Ahoi', email: scene.email });
    expect(await scene.namesWith(signedIn?.accessToken ?? '')).toEqual(['Ada Ahoi']);

    const refreshed = await strategy.refresh(signedIn?.refreshToken ?? '');
    expect(refreshed.refreshToken).not.toBe(signedIn?.refreshToken);
    expect(await scene.namesWith(refreshed.accessToken)).toEqual(['Ada Ahoi']);
    await expect(strategy.refresh('mkt_rt_unknown')).rejects.toMatchObject({
      statusCode: 400,
      data: expect.stringContaining('"invalid_grant"') as string,
    });
  },
);

test('AP-01: passport-oauth2 reads for which organization its tokens are', async () => {
  const { login, outcomes } = await startAddon('client_secret_post', scene.organizationId);
  await scene.visit(login);
  const organization = { organization_id: scene.organizationId };
  expect(outcomes).toMatchObject([{ answer: organization, profile: organization }]);
});

test('AZ-39, TK-10: a denial and a wrong code are the failures that it reports', async () => {
  const { address, login, outcomes } = await startAddon('none');
  await scene.visit(login, 'Do not allow');
  const browser = makeBrowser();
  const asked = new URL((await browser.open(login)).redirects[0]?.location ?? '');
  await browser.open(`${address}/callback?code=any&state=${asked.searchParams.get('state')}`);
  expect(outcomes).toEqual([
    { status: undefined, info: { message: 'the user did not allow it' } },
    expect.objectContaining({ name: 'TokenError', code: 'invalid_grant' }),
  ]);
});
