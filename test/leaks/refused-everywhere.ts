import { verifier } from '../support/scenes/grants.ts';
import { obtainCode, obtainTokens, password, setScene } from '../support/scenes/http-scene.ts';
import { testBrowser } from '../support/scenes/pages.ts';
import type { WholeService } from './whole-service.ts';

const nobody = '01JD0000000000000000000000';

/**
 * Every address with every method, each time with everything secret that one can have, everywhere where one could put
 * it: most of it is refused, and no refusal may repeat what it was sent.
 */
export const refusedEverywhere = async ({ http, templates }: WholeService): Promise<void> => {
  const scene = await setScene(http, { allowedScopes: ['openid', 'profiles:read'] });
  const browser = testBrowser(http.app);
  await browser.signIn(scene.email, password);
  const flow = { browser, subject: 'user', change: { scope: 'openid profiles:read' } };
  const tokens = await obtainTokens(http, scene, flow);
  const code = await obtainCode(http, scene, flow);
  const all = new URLSearchParams({
    ...(tokens as unknown as Record<string, string>),
    code,
    code_verifier: verifier,
    client_secret: `mkt_cs_${'n'.repeat(43)}`,
    password,
    id_token_hint: (tokens as unknown as { readonly id_token: string }).id_token,
    token: `${tokens.refresh_token}x`,
  }).toString();
  for (const template of templates())
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const) {
      const url = `${template.replace(/\{\w+\}/g, nobody)}?${all}`;
      const headers = {
        authorization: `Bearer ${tokens.access_token}`,
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'content-type': 'application/x-www-form-urlencoded',
      };
      await http.app.inject({ method, url, headers, ...(method !== 'GET' && { payload: all }) });
    }
};
