import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  changeField,
  changeFields,
  changeMessage,
  presentChange,
  proposalIn,
} from '../../administration/addons/addon-changes.ts';
import { presentAddonItem } from '../../administration/addons.ts';
import { fieldsOf, readInput } from '../../administration/fields.ts';
import { signals } from '../../administration/signals.ts';
import type { Addon } from '../../commands/addons/find-addon.ts';
import type { Member } from '../../commands/publishers/own-addon.ts';
import type { Visitor } from '../base/browser.ts';
import { replayForm } from '../contracts/publisher.ts';
import { pagePath, type Handler } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, only, pathId, queryOf } from '../requests/params.ts';
import { contextOf, traceOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView, refuseField } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { PublisherDependencies } from './dependencies.ts';
import { publishersOf } from './members-only.ts';
import { organizationsOf, secretsOf } from './facts.ts';
import { presentUsage } from './present-usage.ts';
import { newSecretPage, publishedAddonPage, publishedAddonsPage } from './views/publisher-pages.ts';

const perPage = 50;

type Own = { readonly session: Visitor; readonly member: Member; readonly addon: Addon };

/** `/publisher`: the same as the API, with the session of a browser. */
export const registerPublisherPages = (app: FastifyInstance, dependencies: PublisherDependencies): void => {
  const { browser, commands, services, readUsage } = dependencies;
  const { base, message, config } = browser;
  const refuse = methodNotAllowedPage(browser);
  const signedIn = makeSignedIn(browser, (request) =>
    request.method === 'GET' ? request.url : '/publisher',
  );
  const memberOf = ({ userId }: Visitor): Member => ({ userId, byClaim: true });
  const pageOf = ({ addonId }: Addon) => `/publisher/addons/${addonId}`;

  const list: Act = async (session, request, reply) => {
    const member = memberOf(session);
    const publisherIds = await publishersOf(dependencies, member);
    if (publisherIds.length === 0)
      return message(reply, 403, {
        title: 'You don’t have access',
        message: 'Only members of a publisher see this page.',
        next: { href: '/account', label: 'Your account' },
      });
    const after = only(queryOf(request), 'after') ?? null;
    const ids = await services.readModels.addonsOfPublishers(publisherIds, { after, limit: perPage + 1 });
    const shown = ids.slice(0, perPage);
    const found = await Promise.all(shown.map((addonId) => commands.ownAddon({ addonId, member })));
    const addons = found.filter((addon) => addon !== null).map(presentAddonItem);
    const next = ids.length > perPage ? (shown.at(-1) ?? null) : null;
    return sendPage(
      reply,
      200,
      publishedAddonsPage({ base, signedIn: session.name, addons, next }),
      'stays-here',
    );
  };

  const own = (
    act: (own: Own, ...given: [Parameters<Act>[1], FastifyReply]) => Promise<FastifyReply>,
  ): Handler =>
    signedIn(async (session, request, reply) => {
      const member = memberOf(session);
      const addon = await commands.ownAddon({ addonId: pathId(request, 'client_id'), member });
      return addon
        ? act({ session, member, addon }, request, reply)
        : message(reply, 404, {
            title: 'Add-on not found',
            message: 'None of your add-ons is at this address.',
            next: { href: '/publisher', label: 'Your add-ons' },
          });
    });

  const show = own(async ({ session, addon }, _request, reply) => {
    const { addonId } = addon;
    const stream = await commands.findSignalStream(addonId);
    const html = publishedAddonPage({
      ...formView(browser, session),
      addon: presentAddonItem(addon),
      organizations: await organizationsOf(services, addonId, { after: null, limit: 200 }),
      secrets: await secretsOf(commands, addonId),
      changes: ((await commands.listAddonChanges(addonId)) ?? []).slice(0, 20).map(presentChange),
      fields: fieldsOf(changeFields),
      signals: stream && ((await signals.show(services, stream.streamId)) as never),
      usage: presentUsage(config.baseUrl, await readUsage(addonId, 30)).days,
    });
    return sendPage(reply, 200, html, 'stays-here');
  });

  const refused = (reply: FastifyReply, addon: Addon, text: string) =>
    message(reply, 409, {
      title: 'Nothing was done',
      message: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
      next: { href: pageOf(addon), label: 'The add-on' },
    });
  const done = (reply: FastifyReply, addon: Addon) => reply.redirect(`${base}${pageOf(addon)}`, 303);
  /** A change of the add-on, in the name of the member. */
  const change = (
    act: (
      own: Own,
      context: Parameters<typeof commands.addOwnAddonSecret>[1],
      ...given: [Parameters<Act>[1], FastifyReply]
    ) => Promise<FastifyReply>,
  ) =>
    own(async (mine, request, reply) => {
      const until = await commands.addonChangesPausedUntil(mine.addon.addonId);
      if (until !== null)
        return refused(reply, mine.addon, 'the add-on was changed too often today: try again tomorrow');
      const context = { ...contextOf(request), acting: { actor: mine.session.userId, tokenId: null } };
      return act(mine, context, request, reply);
    });

  const addSecret = change(async ({ session, member, addon }, context, _request, reply) => {
    const { addonId } = addon;
    const added = await commands.addOwnAddonSecret({ addonId, member }, context);
    if (!added.ok) return refused(reply, addon, changeMessage(added.refusal));
    const { clientSecret: secret } = added.value;
    const html = newSecretPage({ base, signedIn: session.name, clientId: addonId, secret });
    return sendPage(reply, 200, html, 'stays-here', true);
  });
  const removeSecret = change(async ({ member, addon }, context, request, reply) => {
    const secretId = pathId(request, 'secret_id');
    const removed = await commands.removeOwnAddonSecret(
      { addonId: addon.addonId, member, secretId },
      context,
    );
    return removed.ok ? done(reply, addon) : refused(reply, addon, changeMessage(removed.refusal));
  });

  const propose = change(async ({ member, addon }, context, request, reply) => {
    const form = formOf(request);
    const repeated = fieldsOf(changeFields).find(({ name }) => isRepeated(form, name));
    if (repeated) return refuseField(browser, reply, repeated.name);
    const sent = fieldsOf(changeFields).flatMap(({ name, kind }) => {
      const value = one(form, name)?.trim() ?? '';
      if (value === '') return [];
      return [[name, kind === 'several' ? value.split(/\s+/) : value] as const];
    });
    const read = readInput(changeFields, Object.fromEntries(sent));
    if (!read.ok)
      return refused(
        reply,
        addon,
        read.problems.map(({ field, allowed }) => `${field}: ${allowed}`).join('; '),
      );
    const isFree = config.publisherChanges === 'free';
    const request_ = { addonId: addon.addonId, member, isFree, ...proposalIn(read.value) };
    const outcome = await commands.proposeAddonChange(request_, context);
    if (outcome.ok) return done(reply, addon);
    const why = (outcome.problems ?? []).map(({ field, message: text }) => `${changeField(field)} ${text}`);
    return refused(reply, addon, why.length > 0 ? why.join('; ') : changeMessage(outcome.refusal));
  });
  const withdraw = change(async ({ addon }, context, request, reply) => {
    const changeId = pathId(request, 'change_id');
    const outcome = await commands.withdrawAddonChange({ addonId: addon.addonId, changeId }, context);
    return outcome.ok ? done(reply, addon) : refused(reply, addon, changeMessage(outcome.refusal));
  });

  const none = 'the add-on has no signal stream';
  const testSignals = own(async ({ addon }, request, reply) => {
    const stream = await commands.findSignalStream(addon.addonId);
    if (!stream) return refused(reply, addon, none);
    const { traceId: txn } = traceOf(request);
    const verified = await services.signals.verify({ stream, state: null, txn, isUnlimited: false });
    return verified.ok
      ? done(reply, addon)
      : refused(reply, addon, 'wait five seconds between two verification events');
  });
  const replaySignals = change(async ({ addon }, context, request, reply) => {
    if (isRepeated(formOf(request), 'after')) return refuseField(browser, reply, 'after');
    const stream = await commands.findSignalStream(addon.addonId);
    const read = readInput(replayForm, { after: one(formOf(request), 'after') ?? '' });
    if (!stream) return refused(reply, addon, none);
    if (!read.ok) return refused(reply, addon, `the position is ${read.problems[0]?.allowed}`);
    if ((await commands.signalChangesPausedUntil(addon.addonId)) !== null)
      return refused(reply, addon, 'the stream was changed too often: try again in an hour');
    const after = String(read.value['after']);
    await commands.replaySignalStream({ streamId: stream.streamId, after }, context);
    await services.signals.wake(stream.streamId);
    return done(reply, addon);
  });

  const root = '/publisher/addons/{client_id}';
  pagePath(app, '/publisher', { GET: signedIn(list) }, refuse);
  pagePath(app, root, { GET: show }, refuse);
  pagePath(app, `${root}/secrets`, { POST: addSecret }, refuse);
  pagePath(app, `${root}/secrets/{secret_id}/remove`, { POST: removeSecret }, refuse);
  pagePath(app, `${root}/changes`, { POST: propose }, refuse);
  pagePath(app, `${root}/changes/{change_id}/withdraw`, { POST: withdraw }, refuse);
  pagePath(app, `${root}/signals/test`, { POST: testSignals }, refuse);
  pagePath(app, `${root}/signals/replay`, { POST: replaySignals }, refuse);
};
