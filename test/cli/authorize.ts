import { createHash, randomBytes } from 'node:crypto';
import { connectFrom } from '../../src/cli/connect.ts';
import type { RunningService } from '../../demo/running-service.ts';

type Authorized = {
  readonly accessToken: string;
  /** One page of a list, asked for with the access token. */
  readonly list: (resource: string) => Promise<Response>;
};

/** An add-on's access token for an organization, by the commands; the pages have tests of their own. */
export const authorize = async (
  { env, baseUrl }: RunningService,
  { organization, addon }: { readonly organization: string; readonly addon: string },
): Promise<Authorized> => {
  const opened = await connectFrom({ env, stderr: process.stderr }).openService();
  const { commands } = opened;
  const codeVerifier = randomBytes(32).toString('base64url');
  const redirectUri = 'https://addon.example/cb';
  try {
    const { epoch } = await commands.showActivation(organization, addon);
    const issued = await commands.issueCode({
      addonId: addon,
      userId: '01JD0000000000000000000000',
      subject: { kind: 'organization', organizationId: organization, epoch },
      scopes: ['profiles:read'],
      redirectUri,
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      nonce: null,
      resources: [],
      authTime: Date.now(),
    });
    if (!issued.ok) throw new Error(issued.refusal);
    const pair = await commands.exchangeCode({
      addonId: addon,
      code: issued.value.code,
      redirectUri,
      codeVerifier,
    });
    if (!pair.ok) throw new Error(pair.refusal);
    const { accessToken } = pair.value;
    const headers = { authorization: `Bearer ${accessToken}` };
    return { accessToken, list: (resource) => fetch(`${baseUrl}/${resource}`, { headers }) };
  } finally {
    await opened.close();
  }
};
