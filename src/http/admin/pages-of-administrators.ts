import type { FastifyReply, FastifyRequest } from 'fastify';
import { markName } from '../../domain/kernel/sentence.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';
import { activationsADay } from '../../domain/organizations/activation.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import type { AdminDependencies } from './dependencies.ts';
import type { ProblemKind } from '../answers/problems.ts';
import type { Handler } from '../base/routes.ts';
import { secondsUntil } from '../answers/seconds-until.ts';
import { momentOf } from './activation-answers.ts';
import { isOwnPath } from '../session/sign-in.ts';
import { makeSignedIn } from '../session/signed-in.ts';

export type Place = { readonly organizationId: string; readonly addonId: string };
export type Act = (
  place: Place,
  session: Visitor,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** Passes the ids of the address to `act`, for any signed-in user. */
export const signedIn = ({ browser }: Pick<AdminDependencies, 'browser'>, act: Act): Handler =>
  makeSignedIn(browser, backTo)((session, request, reply) => act(placeOf(request), session, request, reply));

/** The same for administrators of the organization; others get one answer, whether it exists or not (AC-04). */
export const administrator = (
  { browser, commands }: Pick<AdminDependencies, 'browser' | 'commands'>,
  act: Act,
): Handler =>
  signedIn({ browser }, async (place, session, request, reply) => {
    const mine =
      isUlid(place.organizationId) && (await commands.isAdministrator(place.organizationId, session.userId));
    return mine ? act(place, session, request, reply) : notYours(browser, reply, session);
  });

const placeOf = (request: FastifyRequest): Place => {
  const params = request.params as Partial<Record<string, string>>;
  return { organizationId: params['organization_id'] ?? '', addonId: params['client_id'] ?? '' };
};

/** After signing in: the requested page. A form is not sent again: the user returns to the list. */
export const backTo = (request: FastifyRequest): string =>
  request.method === 'GET' && request.url.length <= longestAddress && isOwnPath(request.url)
    ? request.url
    : listOf(placeOf(request));

/** In characters. The address of a receipt has about 600. */
const longestAddress = 2000;

/** The page of the organization's add-ons, under `base`. */
export const listOf = ({ organizationId }: Pick<Place, 'organizationId'>): string =>
  isUlid(organizationId) ? `/admin/organizations/${organizationId}` : '/admin';

/** The page of one add-on, under `base`. */
export const pageOf = (place: Place): string =>
  isUlid(place.addonId) ? `${listOf(place)}/addons/${place.addonId}` : listOf(place);

/** Back to the list, with the reason why nothing was done. */
export const backWith = (
  { base }: Browser,
  reply: FastifyReply,
  place: Place,
  problem: ProblemKind,
): FastifyReply => reply.redirect(`${base}${listOf(place)}?problem=${problem}`, 303);

const notYours = ({ message }: Browser, reply: FastifyReply, { email }: Session): Promise<FastifyReply> =>
  message(reply, 403, {
    title: 'Not your organization',
    message: `Only administrators of an organization see and change its add-ons. You are signed in as ${markName(email)}.`,
    next: { href: '/admin', label: 'Your organizations' },
  });

export const noSuchAddon = ({ message }: Browser, reply: FastifyReply, place: Place): Promise<FastifyReply> =>
  message(reply, 404, {
    title: 'Add-on not found',
    message: 'There is no add-on at this address.',
    next: { href: listOf(place), label: 'Add-ons of the organization' },
  });

/** A page of its own, because it says when the next activation is possible. */
export const tooOften = (
  { message, now }: Browser,
  reply: FastifyReply,
  place: Place,
  until: Instant,
): Promise<FastifyReply> =>
  message(reply.header('retry-after', secondsUntil(until, now())), 429, {
    title: 'Activated too often',
    message: `This add-on was activated ${activationsADay} times within 24 hours. It can be activated again from ${momentOf(until)}.`,
    next: { href: listOf(place), label: 'Add-ons of the organization' },
  });
