import type { FastifyReply, FastifyRequest } from 'fastify';
import { markName } from '../../domain/kernel/sentence.ts';
import { activationsADay } from '../../domain/organizations/activation.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import type { AdminDependencies } from './dependencies.ts';
import type { ActivationProblem } from '../words/kinds.ts';
import type { Handler } from '../base/routes.ts';
import { secondsUntil } from '../answers/seconds-until.ts';
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
  problem: ActivationProblem,
): FastifyReply => reply.redirect(`${base}${listOf(place)}?problem=${problem}`, 303);

const notYours = ({ message }: Browser, reply: FastifyReply, { email }: Visitor): Promise<FastifyReply> =>
  message(reply, 403, ({ admin, frame }) => ({
    title: admin.notYours,
    message: admin.notYoursWhy(markName(email)),
    next: { href: '/admin', label: frame.organizations },
  }));

export const noSuchAddon = ({ message }: Browser, reply: FastifyReply, place: Place): Promise<FastifyReply> =>
  message(reply, 404, ({ admin }) => ({
    title: admin.addonNotFound,
    message: admin.addonNotFoundWhy,
    next: { href: listOf(place), label: admin.addonsOfOrganization },
  }));

/** A page of its own, because it says when the next activation is possible. */
export const tooOften = (
  { message, now }: Browser,
  reply: FastifyReply,
  place: Place,
  { reader }: Visitor,
  until: Instant,
): Promise<FastifyReply> => {
  const minute = Math.ceil(until / 60_000) * 60_000;
  return message(reply.header('retry-after', secondsUntil(until, now())), 429, ({ admin }) => ({
    title: admin.tooOften,
    message: admin.tooOftenWhy(activationsADay, reader.zonedMomentOf(minute)),
    next: { href: listOf(place), label: admin.addonsOfOrganization },
  }));
};
