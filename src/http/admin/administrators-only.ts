import { refuseParameters } from '../lists/page-parameters.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { ProblemKind } from '../answers/problems.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { bearerText, realm, sendChallenge, type RefusedBearer } from '../base/bearer.ts';
import type { AdminDependencies } from './dependencies.ts';
import { admitting, type Handler } from '../base/routes.ts';
import type { ParameterError } from '../contracts/problem.ts';
import { queryOf } from '../requests/params.ts';

/** The ids in the address; `clientId` is empty where the address has none. */
export type Ids = { readonly organizationId: string; readonly clientId: string };

/** The authenticated caller, who administers the organization of the address at this moment. */
export type Administrator = {
  readonly userId: string;
  /** The session in the browser, where the hand-off to the add-on is recorded (AC-01). */
  readonly sessionId: string | null;
  /** The id of the token that was used instead of a session. */
  readonly tokenId: string | null;
};

export type Act = (
  ids: Ids,
  administrator: Administrator,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

type Needs = Pick<AdminDependencies, 'browser' | 'commands'>;
type IdentifyNeeds = Pick<AdminDependencies, 'browser'> & {
  readonly commands: Pick<Needs['commands'], 'readAdministratorToken'>;
};

type Options = {
  /** The act itself checks the parameters of the query; otherwise there are none. */
  readonly readsQuery?: boolean;
};

/** Authorizes the caller before anything else (AC-04). A sent token alone counts, from any origin: no other site can send one. */
export const makeAdministratorsOnly = (dependencies: Needs): ((act: Act, options?: Options) => Handler) => {
  const {
    commands,
    browser: { config },
  } = dependencies;
  const problem = (reply: FastifyReply, kind: ProblemKind) => sendProblem(reply, config.baseUrl, kind);

  const refusalOf = async (
    { organizationId }: Ids,
    { userId }: Administrator,
    { boundTo, byClaim }: Pick<Identified, 'boundTo' | 'byClaim'>,
  ): Promise<ProblemKind | null> => {
    if (boundTo !== null && boundTo !== organizationId) return 'administrator-token-for-another-organization';
    return (await commands.isAdministrator(organizationId, userId, byClaim)) ? null : 'not-an-administrator';
  };

  const check = async (request: FastifyRequest, reply: FastifyReply, options?: Options) => {
    const who = await identify(dependencies, request);
    if (!who.ok) return sendChallenge(reply, config.baseUrl, who);
    const { administrator } = who;
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    const ambient = administrator.tokenId === null;
    if (changes && ambient && !isOwnOrigin(request, config.baseUrl)) return problem(reply, 'other-origin');
    const errors = inputErrors(request, options);
    if (errors.length > 0) return sendProblem(reply, config.baseUrl, 'invalid-parameters', { errors });
    const refusal = await refusalOf(idsOf(request), administrator, who);
    if (!refusal) return { caller: administrator };
    return ambient
      ? problem(reply, refusal)
      : sendChallenge(reply, config.baseUrl, { ok: false, problem: refusal, challenge: tooNarrow });
  };

  return (act, options) =>
    admitting(
      (request, reply) => check(request, reply, options),
      (administrator, request, reply) => act(idsOf(request), administrator, request, reply),
    );
};

/** RFC 6750 §3.1: the token is valid, but its scope is not sufficient. */
const tooNarrow = `${realm}, error="insufficient_scope"`;

export type Identified = {
  readonly ok: true;
  readonly administrator: Administrator;
  /** The only organization for which the token is valid. */
  readonly boundTo: string | null;
  /** Whether rights by a provider's claim count. */
  readonly byClaim: boolean;
};

/** By the token, if one was sent; otherwise by the session of the browser. */
export const identify = async (
  { browser, commands }: IdentifyNeeds,
  request: FastifyRequest,
): Promise<Identified | RefusedBearer> => {
  const token = bearerText(request.headers);
  if (token !== undefined) return byToken(commands, token ?? '');
  const session = await browser.session(request);
  if (!session) return { ok: false, problem: 'sign-in-required', challenge: realm };
  const { userId, sessionId } = session;
  return { ok: true, administrator: { userId, sessionId, tokenId: null }, boundTo: null, byClaim: true };
};

const byToken = async (
  commands: IdentifyNeeds['commands'],
  token: string,
): Promise<Identified | RefusedBearer> => {
  const read = await commands.readAdministratorToken(token);
  if (!read.ok)
    return {
      ok: false,
      problem: `administrator-${read.refusal}`,
      challenge: `${realm}, error="invalid_token"`,
    };
  const { userId, tokenId, organizationId, byClaim } = read.value;
  return { ok: true, administrator: { userId, sessionId: null, tokenId }, boundTo: organizationId, byClaim };
};

const idsOf = (request: FastifyRequest): Ids => {
  const params = request.params as Partial<Record<string, string>>;
  return { organizationId: params['organization_id'] ?? '', clientId: params['client_id'] ?? '' };
};

/** Malformed ids, and parameters on an address that takes none. */
const inputErrors = (request: FastifyRequest, options?: Options): readonly ParameterError[] => [
  ...Object.entries(request.params as Record<string, string>)
    .filter(([, value]) => !isUlid(value))
    .map(([parameter]): ParameterError => ({
      parameter,
      code: 'malformed',
      allowed: 'an id: 26 digits and capital letters',
    })),
  ...(options?.readsQuery ? [] : refuseParameters(queryOf(request))),
];

/**
 * Whether a request that changes something comes from a page of ours, or from no browser at all. Every browser names
 * the origin of a PUT or DELETE, and most also send `Sec-Fetch-Site`; a program with a cookie file sends neither.
 */
export const isOwnOrigin = ({ headers }: FastifyRequest, baseUrl: string): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return headers.origin === undefined || headers.origin === new URL(baseUrl).origin;
};
