import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { oneLine } from '../../common/one-line.ts';
import type { PolledStream, PollRequest } from '../../signals/poll.ts';
import { parseJson } from '../answers/scope-handlers.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { bearerText } from '../base/bearer.ts';
import { admitting, path } from '../base/routes.ts';
import { type PollAnswerBody, mostEnded, pollAllows, pollForm } from '../contracts/poll.ts';
import type { ParameterError } from '../contracts/problem.ts';
import { bearerChallenge, json, limitedBy, problems } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { always } from '../openapi/headers.ts';
import { makeAddonOf, type AddonCaller } from './addon-token.ts';
import type { SignalsDependencies } from './dependencies.ts';

const longBody = 16_384;

/** `/ssf/poll/{stream_id}` (RFC 8936), on any instance. A waiting poll is answered when the service begins to stop. */
export const registerPoll = (app: FastifyInstance, dependencies: SignalsDependencies): void => {
  const { commands, config, judgedLately, poll: answerPoll, rateLimits, stopping, stopPolls } = dependencies;
  const addonOf = makeAddonOf(dependencies);
  stopping.addEventListener('abort', () => stopPolls(), { once: true });
  app.addHook('preClose', (done) => {
    stopPolls();
    done();
  });

  const mayRead = async (reply: FastifyReply, addonId: string, text = ''): Promise<boolean> => {
    if (text.length <= longBody) return true;
    const admission = await rateLimits.longPollBodies.admit({ 'long-poll-body': addonId });
    if (admission.admitted) return true;
    reply.header('retry-after', String(admission.retryAfter));
    sendProblem(reply, config.baseUrl, 'too-many-requests');
    return false;
  };

  /** Without a look at the log, which may be needless (`judgedLately`). */
  const claimsOf = async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = commands.readAddonToken(bearerText(request.headers) ?? '');
    if (caller) return { caller };
    await addonOf(request, reply, 'ssf.read');
    return reply;
  };

  const poll = admitting(claimsOf, async ({ addonId }, request, reply) => {
    const { stream_id: streamId } = request.params as { readonly stream_id: string };
    const text = request.body as string | undefined;
    if (!(await mayRead(reply, addonId, text))) return reply;
    const read = readPoll(parseJson(text));
    let caller: AddonCaller | null = null;
    /** Whoever is refused has been answered. */
    const judge = async (asOf: 'now' | 'lately'): Promise<PolledStream | typeof answered> => {
      let known: PolledStream | undefined;
      const isKnown = (tokenId: string): boolean => {
        known = asOf === 'lately' ? judgedLately.of(tokenId, streamId) : undefined;
        return known !== undefined;
      };
      const keep = judgedLately.judging();
      if (!caller) caller = await addonOf(request, reply, 'ssf.read', isKnown);
      else if (!isKnown(caller.tokenId) && !(await caller.stillValid())) return answered;
      if (!caller) return answered;
      if (known) return known;
      const stream = await commands.findSignalStream(caller.addonId);
      if (stream?.streamId !== streamId || stream.method !== 'poll')
        return refused(sendProblem(reply, config.baseUrl, 'signal-stream-unknown'));
      if (read.ok) {
        keep(caller, stream);
        return stream;
      }
      return refused(
        read.errors.length > 0
          ? sendProblem(reply, config.baseUrl, 'invalid-parameters', { errors: read.errors })
          : sendProblem(reply, config.baseUrl, 'malformed-request', {
              detail: 'The body is not a JSON object',
            }),
      );
    };
    const answer = await answerPoll(
      { streamId, ...(read.ok ? read.asked : nothingAsked) },
      {
        name: request.headers.authorization ?? '',
        judge,
        whenGone: (leave) => reply.raw.once('close', leave),
      },
    );
    if ('refusal' in answer) return reply;
    const { sets, moreAvailable } = answer;
    const body: PollAnswerBody = { sets: Object.fromEntries(sets), ...(moreAvailable && { moreAvailable }) };
    return sendJson(reply, body);
  });

  path(app, pollPaths, '/ssf/poll/{stream_id}', { POST: poll }, methodNotAllowed(config.baseUrl));
};

const nothingAsked = { maxEvents: 0, returnImmediately: true, endings: [] };
const answered = { refusal: 'answered' } as const;
const refused = (_reply: FastifyReply): typeof answered => answered;

type ReadPoll =
  | { readonly ok: true; readonly asked: Omit<PollRequest, 'streamId'> }
  /** No error names a member where the body is no object. */
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

/** Reads the body of a poll (RFC 8936 §2.4); without a body every default holds. */
const readPoll = (body: unknown = {}): ReadPoll => {
  if (hasTooManyErrors(body)) return wrong('setErrs'); // each is slow to check
  const read = pollForm.safeParse(body);
  if (!read.success) {
    const names = new Set(read.error.issues.map(({ path: [name] }) => name));
    return wrong(
      ...(Object.keys(pollAllows) as (keyof typeof pollAllows)[]).filter((name) => names.has(name)),
    );
  }
  const { maxEvents = null, returnImmediately = false, ack = [], setErrs = {} } = read.data;
  const errors = Object.entries(setErrs).map(([jti, { err, description = '' }]) => ({
    jti,
    error: `reported ${oneLine([err, description].filter((said) => said !== '').join(': '))}`,
  }));
  const endings = [...errors, ...ack.map((jti) => ({ jti, error: null }))];
  return { ok: true, asked: { maxEvents, returnImmediately, endings: endings.filter(isPossible) } };
};

const hasTooManyErrors = (body: unknown): boolean => {
  const errors: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'setErrs') : null;
  return typeof errors === 'object' && errors !== null && Object.keys(errors).length > mostEnded;
};

const wrong = (...parameters: readonly (keyof typeof pollAllows)[]): ReadPoll => ({
  ok: false,
  errors: parameters.map((parameter) => ({ parameter, code: 'malformed', allowed: pollAllows[parameter] })),
});

/** No `jti` of ours has another character, and the database refuses some of them. */
const isPossible = ({ jti }: { readonly jti: string }): boolean => /^[\x21-\x7e]+$/.test(jti);

const limited = limitedBy(['signals', 6000]);

const poll: Operation = {
  id: 'poll-signals',
  tag: 'Shared Signals',
  summary: 'Poll for the messages to the add-on',
  description:
    'RFC 8936. The answer comes as soon as there is a SET, and after 30 seconds at the latest. What is acknowledged is removed before the answer; of one organization or user the next SET is offered only then. What is not acknowledged is offered again, with the same `jti`. A paused or disabled stream offers nothing. At most 60 bodies a minute may be longer than 16,384 characters.',
  security: ['ssf.read', 'ssf.manage'],
  json: 'PollForm',
  answers: [
    json(
      200,
      'What the stream offers.',
      'PollAnswer',
      { 'Cache-Control': always('no-store'), ...limited },
      {
        'a SET': {
          sets: {
            '01JD3FB0M2N4P6Q8R0S2T4V6W8':
              'eyJhbGciOiJSUzI1NiIsInR5cCI6InNlY2V2ZW50K2p3dCJ9.eyJpc3MiOiJodH….Zx4…',
          },
          moreAvailable: true,
        },
        'nothing new': { sets: {} },
      },
    ),
    ...problems(
      [
        'invalid-parameters',
        'malformed-request',
        'token-missing',
        'token-unknown',
        'token-expired',
        'token-revoked',
        'insufficient-scope',
        'signal-stream-unknown',
        'too-large',
        'unsupported-media-type',
        'too-many-requests',
      ],
      limited,
      { 401: bearerChallenge, 403: bearerChallenge },
    ),
  ],
};

const pollPaths = { '/ssf/poll/{stream_id}': { POST: poll } } satisfies Paths;
