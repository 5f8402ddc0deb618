import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUlid } from '../../domain/ids.ts';
import type { Browser } from '../browser.ts';
import type { ParameterError } from '../contracts/problem.ts';
import { queryOf } from '../params.ts';
import { sendProblem, type ProblemKind } from '../problems.ts';
import type { Handler } from '../routes.ts';
import { isOwnOrigin } from './same-origin.ts';

/** What the address names; `clientId` is empty where it names no add-on. */
export type Ids = { readonly organizationId: string; readonly clientId: string };

/** Who asks, and administers the organization of the address at this moment. */
export type Administrator = {
  readonly userId: string;
  /** The browser's session, which a hand-off is recorded in (AC-01). */
  readonly sessionId: string | null;
};

export type Act = (
  ids: Ids,
  administrator: Administrator,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** Who asks, from where, for what: judged before anything is done (AC-04). */
export const makeAdministratorsOnly = (browser: Browser): ((act: Act) => Handler) => {
  const { commands, config } = browser;
  const problem = (request: FastifyRequest, reply: FastifyReply, kind: ProblemKind) =>
    sendProblem(request, reply, config.baseUrl, kind);

  return (act) => async (request, reply) => {
    const session = await browser.session(request);
    if (!session) return problem(request, reply, 'sign-in-required');
    const changes = request.method === 'PUT' || request.method === 'DELETE';
    if (changes && !isOwnOrigin(request, config.baseUrl)) return problem(request, reply, 'other-origin');
    const errors = inputErrors(request);
    if (errors.length > 0)
      return sendProblem(request, reply, config.baseUrl, 'invalid-parameters', { errors });
    const ids = idsOf(request);
    if (!(await commands.isAdministrator(ids.organizationId, session.userId)))
      return problem(request, reply, 'not-an-administrator');
    return act(ids, session, request, reply);
  };
};

const idsOf = (request: FastifyRequest): Ids => {
  const params = request.params as Partial<Record<string, string>>;
  return { organizationId: params['organization_id'] ?? '', clientId: params['client_id'] ?? '' };
};

/** Ids that cannot be ours, and parameters where none is known. */
const inputErrors = (request: FastifyRequest): readonly ParameterError[] => [
  ...Object.entries(request.params as Record<string, string>)
    .filter(([, value]) => !isUlid(value))
    .map(([parameter]): ParameterError => ({
      parameter,
      code: 'malformed',
      allowed: 'an id: 26 digits and capital letters',
    })),
  ...[...queryOf(request).keys()].map((name): ParameterError => ({
    parameter: name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64),
    code: 'unknown',
    allowed: 'none',
  })),
];
