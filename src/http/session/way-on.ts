import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Words } from '../../common/words.ts';
import type { MessageView } from '../pages/message-page.ts';
import { formOf, only, queryOf } from '../requests/params.ts';
import type { Interaction, Interactions } from './interactions.ts';
import type { ValueSigner } from './value-signer.ts';

type Link = NonNullable<MessageView['next']>;
type Frame = Pick<
  Words['frame'],
  'account' | 'organizations' | 'audit' | 'operator' | 'start' | 'signIn' | 'signOut' | 'continueToAddon'
>;
type Needs = { readonly interactions: Interactions; readonly signer: ValueSigner };

/** The link of a page that names none: a form that cannot be used leads back to what its user was about to do. */
export const wayOn = (browser: Needs, reply: FastifyReply, isSignedIn: boolean, { frame }: Words): Link => {
  const { request } = reply;
  const waiting = waitingIn(browser, request);
  return waiting ? wayOnTo(browser, reply, waiting, frame) : homeOf(request.url, isSignedIn, frame);
};

/** Begins again what was begun before. */
export const wayOnTo = (
  browser: Pick<Needs, 'interactions'>,
  reply: FastifyReply,
  waiting: Interaction,
  frame: Frame,
): Link => {
  const { pending } = waiting;
  if (pending.kind === 'sign-out') return { href: '/sign-out', label: frame.signOut };
  if (pending.kind === 'sign-in') return { href: wayBack(browser, waiting), label: frame.signIn };
  const again = { kind: 'authorize', request: pending.request, approver: null } as const;
  const href = wayBack(browser, browser.interactions.begin(reply.request, reply, again));
  return { href, label: frame.continueToAddon };
};

const waitingIn = ({ signer }: Needs, request: FastifyRequest): Interaction | null => {
  const sent = only(formOf(request), 'interaction') ?? only(queryOf(request), 'interaction');
  return sent === undefined ? null : (signer.verify(sent) as Interaction | null);
};

/** Of each part of the service; they lead to the sign-in page where nobody is signed in. */
const homes: readonly (readonly [prefix: string, label: keyof Frame])[] = [
  ['/account', 'account'],
  ['/admin', 'organizations'],
  ['/audit', 'audit'],
  ['/operator', 'operator'],
];

const homeOf = (url: string, isSignedIn: boolean, frame: Frame): Link => {
  const home = homes.find(([prefix]) => url.startsWith(prefix));
  if (home) return { href: home[0], label: frame[home[1]] };
  return isSignedIn ? { href: '/', label: frame.start } : { href: '/sign-in', label: frame.signIn };
};

/** Where the user can try again. */
export const wayBack = ({ interactions }: Pick<Needs, 'interactions'>, interaction: Interaction): string => {
  const { pending } = interaction;
  if (pending.kind === 'authorize')
    return `/oauth/authorize/continue?interaction=${interactions.sign(interaction)}`;
  const returnTo = pending.kind === 'sign-in' ? pending.returnTo : '/';
  const again = pending.kind === 'sign-in' && pending.again ? 'again=1&' : '';
  return `/sign-in?${again}return_to=${encodeURIComponent(returnTo)}`;
};
