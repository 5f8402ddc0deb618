import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { UserManagerSettings } from 'oidc-client-ts';
import type { Registered } from '../support/scenes/client-scene.ts';
import { serve } from '../support/servers/serve.ts';

/** The bundle for browsers, as the package ships it. */
const bundle = readFileSync(
  join(createRequire(import.meta.url).resolve('oidc-client-ts'), '../../browser/oidc-client-ts.min.js'),
);

const pageOf = (settings: UserManagerSettings) => `<!doctype html><title>Add-on</title><h1>The add-on</h1>
<script src="/oidc-client-ts.js"></script>
<script>
  const manager = new oidc.UserManager(${JSON.stringify(settings)});
  const callbacks = { '/callback': 'signinCallback', '/silent': 'signinCallback', '/signed-out': 'signoutCallback' };
  const callback = callbacks[location.pathname];
  const returned = callback ? manager[callback]() : Promise.resolve(null);
  const told = (asked) => asked.catch(({ name, message, error }) => ({ name, message, error }));
</script>`;

type Register = (redirectUris: readonly string[], signedOut: string) => Promise<Registered>;

/**
 * An add-on that is one page on an origin of its own, without secret or server: oidc-client-ts as its documentation has
 * it, with `loadUserInfo` on and renewal left to the test. The page has a `manager`, what the answer it was called with
 * came to (`returned`), and `told`, which turns the library's errors into values.
 */
export const startSinglePageAddon = async (
  issuer: string,
  register: Register,
  host = '127.0.0.1',
): Promise<Registered & { readonly origin: string }> => {
  let html = '';
  const address = await serve(({ url }, response) => {
    const script = url === '/oidc-client-ts.js';
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(script ? bundle : html);
  });
  const origin = address.replace('127.0.0.1', host);
  const [callback, silent, signedOut] = [`${origin}/callback`, `${origin}/silent`, `${origin}/signed-out`];
  const registered = await register([callback, silent], signedOut);
  html = pageOf({
    authority: issuer,
    client_id: registered.clientId,
    redirect_uri: callback,
    silent_redirect_uri: silent,
    post_logout_redirect_uri: signedOut,
    scope: 'openid profile email profiles:read',
    loadUserInfo: true,
    automaticSilentRenew: false,
  });
  return { ...registered, origin };
};
