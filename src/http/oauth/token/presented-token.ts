import type { FastifyRequest } from 'fastify';
import type { Commands } from '../../../commands/commands.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { namesOf } from '../../contracts/parameters.ts';
import { presentedTokenForm } from '../../contracts/token-parameters.ts';
import { formOf, one } from '../../requests/params.ts';
import { noteClient } from '../../limits/refusals.ts';
import { authenticateClient, claimedClientId, type SentClient } from './client-authentication.ts';
import { repeatedOf } from './client-endpoint.ts';
import { invalidRequest, type TokenRefusal } from './token-answers.ts';

export const presentedTokenParameters = namesOf(presentedTokenForm);

type Presented =
  | { readonly ok: true; readonly addon: Addon; readonly token: string }
  | { readonly ok: false; readonly answer: TokenRefusal };

/** The client and the token it presents, from the body only. The type hint is ignored: the token tells its type (RV-04, IN-06). */
export const readPresentedToken = async (
  commands: Pick<Commands, 'findAddon'>,
  request: FastifyRequest,
  sent: SentClient,
): Promise<Presented> => {
  const params = formOf(request);
  const repeated = repeatedOf(params, presentedTokenParameters);
  if (repeated) return { ok: false, answer: repeated };
  noteClient(request, claimedClientId(sent));
  const client = await authenticateClient(commands, sent);
  if (!client.ok) return client;
  const token = one(params, 'token');
  if (token === undefined)
    return { ok: false, answer: invalidRequest('token is missing', 'parameter-missing') };
  return { ok: true, addon: client.addon, token };
};
