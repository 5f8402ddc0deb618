import { formsOf, type PageForm } from '../support/scenes/pages.ts';
import { password } from '../support/scenes/http-scene.ts';
import type { Side } from './side.ts';
import type { Answer, Sent } from './wire.ts';

/** Who sits at a browser: one who has approved the clients, one who has only signed in, and one who goes through pages. */
export const users = {
  approved: 'ada@differential.example',
  'signed-in': 'bob@differential.example',
  other: 'carol@differential.example',
} as const;
export type User = keyof typeof users;

export type Jar = Map<string, string>;

/** How far a visitor goes: to the first page that asks something, to the approval page, or through it. */
export type Goal = 'first-page' | 'approval' | 'allow' | 'deny';

export const form = 'application/x-www-form-urlencoded';

const signInForm = (page: Answer): PageForm | undefined =>
  formsOf(page.body).find(({ fields }) => 'password' in fields);

const isYes = ({ value, label }: PageForm['buttons'][number]) => value === 'approve' || label === 'Continue';
const approvalForm = (page: Answer): PageForm | undefined =>
  formsOf(page.body).find(({ buttons }) => buttons.some(isYes));

/** What a page asks of the user; null when it only tells something. */
export const asks = (page: Answer): 'sign-in' | 'approval' | null => {
  if (signInForm(page)) return 'sign-in';
  return approvalForm(page) ? 'approval' : null;
};

/** Path and query of a redirect that stays at the server; null when it leads away or is none. */
const ownTarget = ({ issuer }: Side, { status, headers: { location } }: Answer): string | null => {
  if (status < 300 || status > 399 || location === undefined) return null;
  if (location.startsWith('/')) return location;
  return location.startsWith(`${issuer}/`) ? location.slice(issuer.length) : null;
};

const keep = (jar: Jar, { headers }: Answer): void => {
  for (const cookie of headers['set-cookie'] ?? []) {
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
    if (value === '' || /;\s*max-age=0/i.test(cookie) || /expires=Thu, 01 Jan 1970/i.test(cookie))
      jar.delete(name);
    else jar.set(name, value);
  }
};

/** Sends a request as a browser would, and goes on from page to page until the goal is reached or nothing is asked. */
export const visit = async (
  side: Side,
  jar: Jar,
  first: Sent,
  goal: Goal,
  user: User = 'approved',
): Promise<Answer> => {
  const send = async (sent: Sent): Promise<Answer> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await side.wire.send({
      ...sent,
      headers: { ...(cookie && { cookie }), ...sent.headers },
    });
    keep(jar, answer);
    return answer;
  };
  const get = (target: string) => send({ method: 'GET', target, headers: {} });
  const submit = ({ action, fields }: PageForm, own: Record<string, string>) =>
    send({
      method: 'POST',
      target: action.replace(side.issuer, ''),
      headers: { 'content-type': form },
      body: new URLSearchParams({ ...fields, ...own }).toString(),
    });
  const answerForm = (page: Answer): Promise<Answer> | null => {
    if (goal === 'first-page') return null;
    const signIn = signInForm(page);
    if (signIn) return submit(signIn, { email: users[user], login: users[user], password });
    const approval = approvalForm(page);
    if (!approval || goal === 'approval') return null;
    const ours = approval.buttons.some(({ name }) => name === 'decision');
    if (goal === 'allow') return submit(approval, ours ? { decision: 'approve' } : {});
    return ours
      ? submit(approval, { decision: 'deny' })
      : get(`${approval.action.replace(side.issuer, '')}/abort`);
  };

  let answer = await send(first);
  for (let steps = 0; steps < 12; steps += 1) {
    const target = ownTarget(side, answer);
    const next = target === null ? answerForm(answer) : get(target);
    if (!next) return answer;
    answer = await next;
  }
  throw new Error(`${side.name} never came to an end: ${answer.status} ${answer.headers.location}`);
};
