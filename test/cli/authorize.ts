import { createHash, randomBytes } from 'node:crypto';
import { connectFrom } from '../../src/cli/base/connect.ts';
import type { RunningService } from '../../demo/running-service.ts';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import { grantStream } from '../../src/domain/streams.ts';

type Authorized = {
  readonly grantId: string;
  readonly accessToken: string;
  /** One page of a list, asked for with the access token. */
  readonly list: (resource: string) => Promise<Response>;
  /** The type of the newest event of the grant. */
  readonly lastEvent: () => Promise<string | undefined>;
};

type Asked = {
  readonly addon: string;
  /** Whose records; the user's own when absent. */
  readonly organization?: string;
  readonly user?: string;
};

/** An add-on's access token, by the commands; the pages have tests of their own. */
export const authorize = async (
  { env, baseUrl }: Pick<RunningService, 'env' | 'baseUrl'>,
  { organization, addon, user = '01JD0000000000000000000000' }: Asked,
): Promise<Authorized> => {
  const opened = await connectFrom({ env, stderr: process.stderr }).openService('nobody');
  const { commands } = opened;
  const codeVerifier = randomBytes(32).toString('base64url');
  const redirectUri = 'https://addon.example/cb';
  try {
    const subject: GrantSubject =
      organization === undefined
        ? (await commands.ownConsent({ userId: user, addonId: addon })).subject
        : {
            kind: 'organization',
            organizationId: organization,
            epoch: (await commands.showActivation(organization, addon)).epoch,
          };
    const issued = await commands.issueCode({
      addonId: addon,
      userId: user,
      subject,
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
      resources: null,
    });
    if (!pair.ok) throw new Error(pair.refusal);
    const { accessToken } = pair.value;
    const headers = { authorization: `Bearer ${accessToken}` };
    const { grantId } = commands.verifyAccessToken(accessToken) ?? { grantId: '' };
    return {
      grantId,
      accessToken,
      list: (resource) => fetch(`${baseUrl}/${resource}`, { headers }),
      lastEvent: async () => {
        const looking = await connectFrom({ env, stderr: process.stderr }).openService('nobody');
        try {
          return (await looking.store.read(grantStream(grantId))).events.at(-1)?.event.type;
        } finally {
          await looking.close();
        }
      },
    };
  } finally {
    await opened.close();
  }
};
