import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { oneLine } from '../../common/one-line.ts';
import type { PolledStream, PollRequest } from '../../signals/poll.ts';
import { parseJson } from '../answers/scope-handlers.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { bearerText } from '../base/bearer.ts';
import { admitting, path } from '../base/routes.ts';
import { type PollAnswerBody, mostEnded, pollAllows, pollForm } from '../contracts/poll.ts';
import { makeAddonOf, type AddonCaller } from './addon-token.ts';
import type { SignalsDependencies } from './dependencies.ts';
import { malformed, readBody, refuseBody, type ReadBody } from './read-body.ts';
import { streamPaths } from './stream-paths.ts';

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
      return refused(refuseBody(reply, config.baseUrl, read.errors));
    };
    const answer = await answerPoll(
      { streamId, ...(read.ok ? read.value : nothingAsked) },
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

  path(app, streamPaths, '/ssf/poll/{stream_id}', { POST: poll }, methodNotAllowed(config.baseUrl));
};

const nothingAsked = { maxEvents: 0, returnImmediately: true, endings: [] };
const answered = { refusal: 'answered' } as const;
const refused = (_reply: FastifyReply): typeof answered => answered;

type ReadPoll = ReadBody<Omit<PollRequest, 'streamId'>>;

/** Reads the body of a poll (RFC 8936 §2.4); without a body every default holds. */
const readPoll = (body: unknown = {}): ReadPoll => {
  if (hasTooManyErrors(body)) return { ok: false, errors: malformed(pollAllows, 'setErrs') }; // each is slow to check
  const read = readBody(pollForm, pollAllows, body);
  if (!read.ok) return read;
  const { maxEvents = null, returnImmediately = false, ack = [], setErrs = {} } = read.value;
  const errors = Object.entries(setErrs).map(([jti, { err, description = '' }]) => ({
    jti,
    error: `reported ${oneLine([err, description].filter((said) => said !== '').join(': '))}`,
  }));
  const endings = [...errors, ...ack.map((jti) => ({ jti, error: null }))];
  return { ok: true, value: { maxEvents, returnImmediately, endings: endings.filter(isPossible) } };
};

const hasTooManyErrors = (body: unknown): boolean => {
  const errors: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'setErrs') : null;
  return typeof errors === 'object' && errors !== null && Object.keys(errors).length > mostEnded;
};

/** No `jti` of ours has another character, and the database refuses some of them. */
const isPossible = ({ jti }: { readonly jti: string }): boolean => /^[\x21-\x7e]+$/.test(jti);
