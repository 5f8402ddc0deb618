import { closeOrganization } from '../../src/tasks/organizations/close-organization.ts';
import type { Services } from '../../src/tasks/task.ts';
import { load } from '../../src/commands/kernel/handle.ts';
import { addonDecider } from '../../src/domain/addons/addon.ts';
import { accountDecider } from '../../src/domain/people/account.ts';
import { fenceSubjectsOf, judgeFence } from '../../src/domain/fence/fence.ts';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import { organizationDecider } from '../../src/domain/organizations/organization.ts';
import type { AllowedScope } from '../../src/domain/access/scope.ts';
import { accountStream, addonStream, organizationStream } from '../../src/domain/streams.ts';
import { terms } from '../support/scenes/grants.ts';
import { grantIdIn } from '../support/memory/issuance.ts';
import { marketplace, valueOf } from '../support/scenes/marketplace.ts';
import { at, type Model, type Step } from './people-model.ts';
import { newAddon } from '../support/registering.ts';

const provider = { provider: 'p', issuer: 'https://p.example' };
const password = 'correct horse';
const allowedScopes: readonly AllowedScope[] = ['profiles:read', 'reservations:read'];

/** Two organizations, three users and an add-on that is active for both; the first two are everything. */
export const openPeople = async () => {
  const market = marketplace();
  const { store, fence } = market;
  const names = ['Mill', 'Harbour'];
  const organizations: string[] = [];
  for (const name of names)
    organizations.push(valueOf(await market.createOrganization({ name })).organizationId);
  const users: string[] = [];
  for (const name of ['Ada', 'Bo', 'Carol']) {
    const isEverything = users.length < 2;
    const roles = isEverything ? (['operator'] as const) : [];
    const administratorOf = isEverything ? organizations : [];
    const who = { name, email: `${name.toLowerCase()}@example.com`, password, administratorOf, roles };
    users.push(valueOf(await market.createUser(who)).userId);
  }
  const { redirectUri } = terms;
  const { clientId: addonId } = await newAddon(market, {
    name: 'Door',
    redirectUris: [redirectUri],
    allowedScopes,
  });
  const where = (o: number) => ({ addonId, organizationId: at(organizations, o), by: at(users, 0) });
  const activate = (o: number) => market.activateAddon({ ...where(o), sessionId: null, asOperator: true });
  for (const index of names.keys()) valueOf(await activate(index));
  const model: Model = {
    organizations: names.map((name) => ({
      name,
      externalId: null,
      closed: false,
      administrators: new Set([0, 1]),
      active: true,
    })),
    users: ['Ada', 'Bo', 'Carol'].map((name, index) => ({
      name,
      email: `${name.toLowerCase()}@example.com`,
      roles: new Set(index < 2 ? (['operator'] as const) : []),
      state: 'enabled',
      subject: null,
    })),
    addon: { name: 'Door', scopes: allowedScopes, state: 'in use' },
    grants: [],
  };
  const grants: {
    readonly grantId: string;
    readonly o: number;
    readonly subject: GrantSubject;
    readonly scopes: readonly string[];
  }[] = [];

  const approve = async (o: number) => {
    const { organizationId } = where(o);
    const { epoch } = await market.showActivation(organizationId, addonId);
    const subject: GrantSubject = { kind: 'organization', organizationId, epoch };
    const { state } = await load(store, addonStream(addonId), addonDecider);
    const scopes = state.status === 'unregistered' ? [] : state.allowedScopes;
    const { nonce, resources, authTime, codeChallenge } = terms;
    const asked = { subject, scopes, redirectUri, nonce, resources, authTime, codeChallenge };
    const issued = await market.issueCode({ addonId, userId: at(users, 0), ...asked });
    if (issued.ok) grants.push({ grantId: grantIdIn(store), o, subject, scopes });
    return issued;
  };

  const close = (o: number) => {
    const readModels = {
      waitFor: () => Promise.resolve(true),
      beginCount: () => () => Promise.resolve(null),
      addonsActivatedFor: () => Promise.resolve([addonId]),
    };
    const services = { commands: market, readModels, settle: () => Promise.resolve() } as unknown as Services;
    return closeOrganization(services, at(organizations, o), { traceparent: '' });
  };

  const run = (step: Step): Promise<{ readonly ok: boolean; readonly refusal?: string | undefined }> => {
    const organizationId = at(organizations, 'o' in step ? step.o : 0);
    const userId = at(users, 'u' in step ? step.u : 0);
    switch (step.do) {
      case 'rename-organization':
        return market.updateOrganization({ organizationId, name: step.name });
      case 'set-external-id':
        return market.updateOrganization({ organizationId, externalId: step.id });
      case 'close':
        return close(step.o);
      case 'add-administrator':
        return market.addAdministrator({ organizationId, userId });
      case 'remove-administrator':
        return market.removeAdministrator({ organizationId, userId, force: step.force });
      case 'rename-user':
        return market.updateUser({ userId, name: step.name });
      case 'set-email':
        return market.updateUser({ userId, email: step.email });
      case 'grant-role':
        return market.grantRole({ userId, role: step.role });
      case 'remove-role':
        return market.removeRole({ userId, role: step.role, force: step.force });
      case 'link':
        return market.linkIdentity({ userId, ...provider, subject: step.subject });
      case 'unlink':
        return market.unlinkIdentity({ userId, provider: provider.provider });
      case 'disable':
        return market.disableUser({ userId, force: step.force });
      case 'enable':
        return market.enableUser(userId);
      case 'erase':
        return market.eraseUser({ userId, force: step.force });
      case 'update-addon':
        return market.updateAddon({
          addonId,
          name: step.name,
          scopes: step.scopes as readonly AllowedScope[],
        });
      case 'apply-to-grants':
        return market.applyAddonScopes(addonId);
      case 'suspend':
        return market.suspendAddon(addonId);
      case 'resume':
        return market.resumeAddon(addonId);
      case 'retire':
        return market.retireAddon({ addonId, by: at(users, 0) });
      case 'activate':
        return activate(step.o);
      case 'deactivate':
        return market.deactivateAddon(where(step.o));
      case 'approve':
        return approve(step.o);
      case 'revoke-grant':
        return market.revokeGrant({ grantId: at(grants, step.g % grants.length).grantId });
    }
  };

  const shownOrganization = async (organizationId: string) => {
    const { state } = await load(store, organizationStream(organizationId), organizationDecider);
    if (state.status === 'unknown') throw new Error('no organization');
    const { status } = await market.showActivation(organizationId, addonId);
    return {
      name: state.name,
      externalId: state.externalId,
      closed: state.state === 'closed',
      administrators: new Set(state.administrators.map((id) => users.indexOf(id))),
      active: status === 'active',
    };
  };
  const shownUser = async (userId: string, index: number) => {
    const { state } = await load(store, accountStream(userId), accountDecider);
    if (state.status === 'absent') throw new Error('no account');
    const { name, email, roles, status, identities } = state;
    // An erased identity is known by its digest only.
    const subject = identities[0]?.subject ?? null;
    const foretold = at(model.users, index).subject;
    return {
      name,
      email,
      roles: new Set(roles),
      state: status,
      subject: subject === 'erased' ? foretold : subject,
    };
  };
  const shownAddon = async () => {
    const { state } = await load(store, addonStream(addonId), addonDecider);
    if (state.status === 'unregistered') throw new Error('no add-on');
    const { name, allowedScopes: scopes, status } = state;
    return { name, scopes, state: status === 'registered' ? 'in use' : status };
  };
  const shownGrant = async ({ grantId, o, subject, scopes }: (typeof grants)[number], index: number) => {
    const claims = { addonId, userId: at(users, 0), subject, grantId };
    const refusal = judgeFence(claims, await fence.read(fenceSubjectsOf(claims)));
    // While all of the add-on is refused, the fence does not say which grants have ended.
    const ended = refusal === 'addon-suspended' ? at(model.grants, index).ended : refusal !== null;
    return { organization: o, scopes, ended };
  };

  return {
    model,
    perform: async (step: Step): Promise<string> => {
      const { ok, refusal } = await run(step);
      return ok ? 'ok' : (refusal ?? '');
    },
    /** Everything as the log and the fence say it, in the shape of the model. */
    shown: async () => ({
      organizations: await Promise.all(organizations.map(shownOrganization)),
      users: await Promise.all(users.map(shownUser)),
      addon: await shownAddon(),
      grants: await Promise.all(grants.map(shownGrant)),
    }),
  };
};
