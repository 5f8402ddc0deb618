import { scopes } from '../../src/domain/access/scope.ts';
import type { EdgeRequest } from './edge-request.ts';

type Explanation = {
  /** Name of the review in `differences.json`. */
  readonly review: string;
  readonly endpoint: EdgeRequest['endpoint'];
  readonly applies: (sent: URLSearchParams) => boolean;
};

/** Reviewed reasons for which even the class of the answer differs, as far as random harm can bring them about. */
export const explanations: readonly Explanation[] = [
  {
    review: 'no scope that exists is asked for',
    endpoint: 'authorize',
    applies: (sent) => {
      const named = (sent.get('scope') ?? '').split(' ');
      return !named.some((one) => (scopes as readonly string[]).includes(one));
    },
  },
  {
    review: 'more than one space in prompt',
    endpoint: 'authorize',
    applies: (sent) => /^ | {2}| $/.test(sent.get('prompt') ?? ''),
  },
  {
    review: 'a parameter of 5,000 characters',
    endpoint: 'authorize',
    applies: (sent) => [...sent.values()].some((value) => value.length > 4_096),
  },
  {
    review: 'state is required',
    endpoint: 'authorize',
    applies: (sent) => !sent.get('state'),
  },
  {
    review: 'a state that is no UTF-8',
    endpoint: 'authorize',
    applies: (sent) => sent.get('state')?.includes('\uFFFD') ?? false,
  },
  {
    review: 'claims sent twice',
    endpoint: 'authorize',
    applies: (sent) => sent.getAll('claims').length > 1,
  },
  {
    review: 'numbers that only JavaScript reads',
    endpoint: 'authorize',
    applies: (sent) => !/^\d*$/.test(sent.get('max_age') ?? ''),
  },
  {
    review: 'parameters of OpenID Connect without openid',
    endpoint: 'authorize',
    applies: (sent) => !(sent.get('scope') ?? '').split(' ').includes('openid'),
  },
  {
    review: 'a parameter of another grant sent twice',
    endpoint: 'token',
    applies: (sent) =>
      ['scope', 'refresh_token', 'code', 'code_verifier', 'redirect_uri'].some(
        (name) => sent.getAll(name).length > 1,
      ),
  },
];

/** Name of the reviewed reason why these may be answered differently; null when there is none. */
export const explanationOf = (endpoint: EdgeRequest['endpoint'], sent: URLSearchParams): string | null =>
  explanations.find((one) => one.endpoint === endpoint && one.applies(sent))?.review ?? null;
