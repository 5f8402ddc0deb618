/** What an operator may expect of organizations, users and an add-on, in a few lines. Ids are indexes. */
export type Model = {
  readonly organizations: {
    name: string;
    externalId: string | null;
    closed: boolean;
    administrators: Set<number>;
    active: boolean;
  }[];
  readonly users: {
    name: string;
    email: string;
    roles: Set<'auditor' | 'operator'>;
    state: 'enabled' | 'disabled' | 'erased';
    subject: string | null;
  }[];
  readonly addon: { name: string; scopes: readonly string[]; state: 'in use' | 'suspended' | 'retired' };
  /** Of the organizations: whether each has ended. */
  readonly grants: { readonly organization: number; readonly scopes: readonly string[]; ended: boolean }[];
};

/** One thing that an operator does. `o` and `u` choose an organization and a user. */
export type Step =
  | { readonly do: 'rename-organization'; readonly o: number; readonly name: string }
  | { readonly do: 'set-external-id'; readonly o: number; readonly id: string }
  | { readonly do: 'close'; readonly o: number }
  | { readonly do: 'add-administrator'; readonly o: number; readonly u: number }
  | { readonly do: 'remove-administrator'; readonly o: number; readonly u: number; readonly force: boolean }
  | { readonly do: 'rename-user'; readonly u: number; readonly name: string }
  | { readonly do: 'set-email'; readonly u: number; readonly email: string }
  | { readonly do: 'grant-role'; readonly u: number; readonly role: 'auditor' | 'operator' }
  | {
      readonly do: 'remove-role';
      readonly u: number;
      readonly role: 'auditor' | 'operator';
      readonly force: boolean;
    }
  | { readonly do: 'link'; readonly u: number; readonly subject: string }
  | { readonly do: 'unlink'; readonly u: number }
  | { readonly do: 'disable'; readonly u: number; readonly force: boolean }
  | { readonly do: 'enable'; readonly u: number }
  | { readonly do: 'erase'; readonly u: number; readonly force: boolean }
  | { readonly do: 'update-addon'; readonly name: string; readonly scopes: readonly string[] }
  | { readonly do: 'apply-to-grants' }
  | { readonly do: 'suspend' }
  | { readonly do: 'resume' }
  | { readonly do: 'retire' }
  | { readonly do: 'activate'; readonly o: number }
  | { readonly do: 'deactivate'; readonly o: number }
  | { readonly do: 'approve'; readonly o: number }
  | { readonly do: 'revoke-grant'; readonly g: number };

/** Does it to the model. @returns the refusal, or `ok` */
export const foretell = (model: Model, step: Step): string => {
  const organization = 'o' in step ? at(model.organizations, step.o) : at(model.organizations, 0);
  const user = 'u' in step ? at(model.users, step.u) : at(model.users, 0);
  const { addon, grants, users } = model;
  const endGrants = (ends: (grant: Model['grants'][number]) => boolean) => {
    for (const grant of grants) if (ends(grant)) grant.ended = true;
  };
  const deactivate = (which: number) => {
    at(model.organizations, which).active = false;
    endGrants((grant) => grant.organization === which);
  };
  const isLastOperator = (force: boolean) =>
    !force && isOperator(user) && !users.some((other) => other !== user && isOperator(other));
  switch (step.do) {
    case 'rename-organization':
      organization.name = step.name;
      return 'ok';
    case 'set-external-id':
      if (model.organizations.some((other) => other !== organization && other.externalId === step.id))
        return 'external-id-taken';
      organization.externalId = step.id;
      return 'ok';
    case 'close':
      organization.closed = true;
      deactivate(step.o);
      return 'ok';
    case 'add-administrator':
      if (user.state === 'erased') return 'user-erased';
      organization.administrators.add(step.u);
      return 'ok';
    case 'remove-administrator': {
      const { administrators } = organization;
      if (!administrators.has(step.u)) return 'ok';
      const remain = [...administrators].some((u) => u !== step.u && at(users, u).state === 'enabled');
      if (!remain && !step.force) return 'last-administrator';
      administrators.delete(step.u);
      return 'ok';
    }
    case 'rename-user':
      if (user.state === 'erased') return 'user-erased';
      user.name = step.name;
      return 'ok';
    case 'set-email':
      if (user.state === 'erased') return 'user-erased';
      if (users.some((other) => other !== user && other.email === step.email)) return 'email-taken';
      user.email = step.email;
      return 'ok';
    case 'grant-role':
      if (user.state === 'erased') return 'user-erased';
      user.roles.add(step.role);
      return 'ok';
    case 'remove-role':
      if (step.role === 'operator' && isLastOperator(step.force)) return 'last-operator';
      user.roles.delete(step.role);
      return 'ok';
    case 'link':
      if (user.state === 'erased') return 'user-erased';
      if (users.some((other) => other !== user && other.subject === step.subject)) return 'identity-taken';
      if (user.subject !== null && user.subject !== step.subject) return 'skipped';
      user.subject = step.subject;
      return 'ok';
    case 'unlink':
      if (user.subject === null) return 'identity-unknown';
      user.subject = null;
      return 'ok';
    case 'disable':
      if (isLastOperator(step.force)) return 'last-operator';
      if (user.state === 'enabled') user.state = 'disabled';
      return 'ok';
    case 'enable':
      if (user.state === 'erased') return 'user-erased';
      user.state = 'enabled';
      return 'ok';
    case 'erase':
      if (isLastOperator(step.force)) return 'last-operator';
      Object.assign(user, { state: 'erased', name: 'erased', email: 'erased' });
      return 'ok';
    case 'update-addon':
      if (addon.state === 'retired') return 'addon-retired';
      Object.assign(addon, { name: step.name, scopes: step.scopes });
      return 'ok';
    case 'apply-to-grants':
      endGrants(({ scopes }) => scopes.some((scope) => !addon.scopes.includes(scope)));
      return 'ok';
    case 'suspend':
    case 'resume':
      if (addon.state === 'retired') return 'addon-retired';
      addon.state = step.do === 'suspend' ? 'suspended' : 'in use';
      return 'ok';
    case 'retire':
      addon.state = 'retired';
      for (const which of model.organizations.keys()) deactivate(which);
      return 'ok';
    case 'activate':
      if (organization.closed) return 'organization-closed';
      if (addon.state !== 'in use') return `addon-${addon.state}`;
      organization.active = true;
      return 'ok';
    case 'deactivate':
      deactivate(step.o);
      return 'ok';
    case 'approve':
      if (!organization.active) return 'addon-not-active';
      if (addon.state !== 'in use') return 'addon-suspended';
      // The first user approves.
      if (at(users, 0).state !== 'enabled') return 'addon-not-active';
      grants.push({ organization: step.o, scopes: addon.scopes, ended: false });
      return 'ok';
    case 'revoke-grant':
      if (grants.length === 0) return 'skipped';
      at(grants, step.g % grants.length).ended = true;
      return 'ok';
  }
};

export const isOperator = ({ state, roles }: Model['users'][number]): boolean =>
  state === 'enabled' && roles.has('operator');

export const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index];
  if (found === undefined) throw new Error('no such index');
  return found;
};
