import type { FastifyPluginCallback } from 'fastify';
import { pages, scope } from '../base/scopes.ts';
import { registerAsset } from '../pages/register-stylesheet.ts';
import type { PasskeyDependencies } from './dependencies.ts';
import { passkeyScript, passkeyScriptPath } from './passkey-script.ts';
import { registerPasskeySignIn } from './passkey-sign-in.ts';

/** The sign-in with a passkey, and the script of every page that asks for one. */
export const passkeys = (dependencies: PasskeyDependencies): FastifyPluginCallback =>
  scope((app) => {
    registerAsset(app, dependencies.browser, passkeyScriptPath, passkeyScript, 'text/javascript');
    void app.register(pages(dependencies.browser, (place) => registerPasskeySignIn(place, dependencies)));
  });
