import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { AccessTokenClaims } from '../../commands/credentials/access-token.ts';
import { recordResources } from '../../domain/records/record-resources.ts';
import type { NamesOfGrant, ReadModels } from '../../projections/read-models.ts';
import { sendProblem } from '../answers/send-problem.ts';
import type { GrantOfToken } from '../contracts/grant.ts';
import { addressesOf } from '../oauth/token/resources.ts';
import { noStore } from '../oauth/token/token-answers.ts';
import { openPath } from '../requests/cors.ts';
import { queryOf } from '../requests/params.ts';
import { makeAcceptTokens, type BearerDependencies } from './accept-tokens.ts';
import { grantPaths } from './grant-paths.ts';
import { listPreflight } from './list-cors.ts';
import { refuseParameters } from './page-parameters.ts';

export type GrantDependencies = BearerDependencies & {
  readonly commands: Pick<CommandsInContext, 'describeAccessToken'>;
  readonly readModels: Pick<ReadModels, 'namesOfGrant'>;
};

/** `/grant`: what the access token of the request is for (AP-02). It reads no record, so it is no read of one. */
export const registerGrant = (app: FastifyInstance, dependencies: GrantDependencies): void => {
  const { commands, config, readModels } = dependencies;
  const { baseUrl } = config;
  const tokens = makeAcceptTokens(dependencies);

  const grant = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const claims = await tokens.accept(request, reply, null);
    if (!claims) return reply;
    const names = await readModels.namesOfGrant(claims);
    if (names.refused !== null) return tokens.refuse(reply, names.refused);
    const errors = refuseParameters(queryOf(request));
    if (errors.length > 0) return sendProblem(reply, baseUrl, 'invalid-parameters', { errors });
    const described = await commands.describeAccessToken(claims);
    if (!described.ok) return tokens.refuse(reply, described.refusal);
    const subject = subjectOf(claims, names);
    // Too new for the read models: an incomplete answer would be mistaken for a complete one.
    if (!subject) return sendProblem(reply, baseUrl, 'temporarily-unavailable');
    const { grantId, addonId, scopes, resources, issuedAt, expiresAt } = described.value;
    return reply.headers({ ...noStore, 'content-type': 'application/json; charset=utf-8' }).send(
      JSON.stringify({
        grant_id: grantId,
        client_id: addonId,
        subject,
        scopes: [...scopes],
        resources: addressesOf(resources, baseUrl),
        issued_at: new Date(issuedAt).toISOString(),
        expires_at: new Date(expiresAt).toISOString(),
        links: Object.fromEntries(
          recordResources
            .filter(({ scope }) => scopes.includes(scope))
            .map((list) => [list.path, `${baseUrl}/${list.path}`]),
        ),
      } satisfies GrantOfToken),
    );
  };

  openPath(app, grantPaths, '/grant', grant, config, listPreflight);
};

/** A user's name only with `profile` (FX-24), an organization's always; null where it is not known yet. */
const subjectOf = (
  { subject, scopes }: AccessTokenClaims,
  { user, organization }: NamesOfGrant,
): GrantOfToken['subject'] | null => {
  if (subject.kind === 'organization')
    return (
      organization && {
        type: 'organization',
        id: subject.organizationId,
        name: organization.name,
        ...(organization.externalId !== null && { external_id: organization.externalId }),
      }
    );
  const own = { type: 'user', id: subject.userId } as const;
  if (!scopes.includes('profile')) return own;
  return user && { ...own, name: user.name };
};
