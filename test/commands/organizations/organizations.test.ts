import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findOrganizationByExternalId } from '../../../src/commands/organizations/organization-in-claim.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { newAddon, newUser } from '../../support/registering.ts';
import { atAppend, crash } from '../../support/memory/at-append.ts';

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const withTwo = async (hooks: Parameters<typeof marketplace>[0] = {}) => {
  const market = marketplace(hooks);
  const create = async (name: string) => valueOf(await market.createOrganization({ name })).organizationId;
  const harbour = await create('Harbour House');
  const mill = await create('Mill');
  const find = (externalId: string) => findOrganizationByExternalId(market, externalId);
  return { ...market, harbour, mill, find };
};

describe('AM-10: an organization is renamed', () => {
  test('with the checks of names; the same name again is no event', async () => {
    const { updateOrganization, harbour, types } = await withTwo();
    const rename = (name: string, organizationId = harbour) => updateOrganization({ organizationId, name });
    expect(valueOf(await rename(' Harbour West '))).toMatchObject({ changed: true });
    expect(valueOf(await rename('Harbour West'))).toMatchObject({ changed: false });
    expect(types().filter((type) => type === 'OrganizationRenamed')).toHaveLength(1);
    expect(await rename('\u202Eevil')).toMatchObject({ refusal: 'invalid', problems: [{ field: 'name' }] });
    for (const id of [nobody, 'x', '../mill'])
      expect(await rename('Mill', id)).toMatchObject({ refusal: 'organization-unknown' });
  });
});

describe('AM-10: the external id of an organization', () => {
  test('belongs to one organization: the first claim wins, and the refusal names the field and the owner', async () => {
    const { updateOrganization, find, harbour, mill, types } = await withTwo();
    expect(
      valueOf(await updateOrganization({ organizationId: harbour, externalId: 'tenant 7' })),
    ).toMatchObject({
      changed: true,
    });
    expect(await find('tenant 7')).toBe(harbour);
    const before = types();
    expect(
      valueOf(await updateOrganization({ organizationId: harbour, externalId: 'tenant 7' })),
    ).toMatchObject({
      changed: false,
    });
    expect(await updateOrganization({ organizationId: mill, externalId: 'tenant 7' })).toMatchObject({
      refusal: 'external-id-taken',
      problems: [{ field: 'external_id', message: `belongs to the organization ${harbour}` }],
    });
    expect(types()).toEqual(before);
    expect(await find('Tenant 7')).toBeNull();
    expect(await find('')).toBeNull();
  });

  test('is released when it is replaced, and free for another organization', async () => {
    const { updateOrganization, find, harbour, mill } = await withTwo();
    for (const externalId of ['a', 'b'])
      valueOf(await updateOrganization({ organizationId: harbour, externalId }));
    expect([await find('a'), await find('b')]).toEqual([null, harbour]);
    valueOf(await updateOrganization({ organizationId: mill, externalId: 'a' }));
    expect([await find('a'), await find('b')]).toEqual([mill, harbour]);
    // It is not taken away from its new owner by a later change of the old one.
    valueOf(await updateOrganization({ organizationId: harbour, externalId: 'c' }));
    expect([await find('a'), await find('b'), await find('c')]).toEqual([mill, null, harbour]);
  });

  test.each([
    ['', 'empty'],
    ['x'.repeat(256), 'at most 255'],
    ['a\nb', 'one line'],
    ['a\u200Bb', 'invisible'],
  ])('%j is refused with the reason', async (externalId, message) => {
    const { updateOrganization, harbour, types } = await withTwo();
    const before = types();
    expect(await updateOrganization({ organizationId: harbour, externalId })).toMatchObject({
      refusal: 'invalid',
      problems: [{ field: 'external_id', message: expect.stringContaining(message) as string }],
    });
    expect(types()).toEqual(before);
  });

  test('of an organization that does not exist claims nothing', async () => {
    const { updateOrganization, types } = await withTwo();
    const before = types();
    for (const organizationId of [nobody, 'x'])
      expect(await updateOrganization({ organizationId, externalId: 'a' })).toMatchObject({
        refusal: 'organization-unknown',
      });
    expect(types()).toEqual(before);
  });

  test('FX-02: that a killed process has half claimed is nobody’s: whoever records it has it', async () => {
    const { hooks, arm } = atAppend('beforeAppend', 'OrganizationExternalIdSet');
    const { updateOrganization, find, harbour, mill } = await withTwo(hooks);
    arm(crash);
    await expect(updateOrganization({ organizationId: harbour, externalId: 'b' })).rejects.toThrow('crashed');
    expect(await find('b')).toBeNull();
    expect(await updateOrganization({ organizationId: mill, externalId: 'b' })).toMatchObject({ ok: true });
    expect(await find('b')).toBe(mill);
    expect(await updateOrganization({ organizationId: harbour, externalId: 'b' })).toMatchObject({
      refusal: 'external-id-taken',
    });
  });

  test('is found as a plain table of ids would say, after any sequence of changes', async () => {
    const step = fc.tuple(fc.nat({ max: 2 }), fc.constantFrom('a', 'b', 'c'));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const market = await withTwo();
        const third = valueOf(await market.createOrganization({ name: 'Third' })).organizationId;
        const organizations = [market.harbour, market.mill, third];
        const table = new Map<string, string>();
        for (const [which, externalId] of steps) {
          const organizationId = organizations[which] ?? third;
          const isFree = !table.has(externalId) || table.get(externalId) === organizationId;
          const done = await market.updateOrganization({ organizationId, externalId });
          expect(done.ok).toBe(isFree);
          if (!isFree) continue;
          for (const [had, owner] of table) if (owner === organizationId) table.delete(had);
          table.set(externalId, organizationId);
        }
        for (const externalId of ['a', 'b', 'c'])
          expect(await market.find(externalId)).toBe(table.get(externalId) ?? null);
      }),
      propertyRuns(30),
    );
  });
});

describe('AM-10: a closed organization', () => {
  const withAddon = async (hooks: Parameters<typeof marketplace>[0] = {}) => {
    const market = await withTwo(hooks);
    const { harbour: organizationId } = market;
    const { clientId: addonId } = await newAddon(market);
    const userId = await newUser(market, { administratorOf: [organizationId] });
    const ids = { organizationId, addonId };
    return {
      ...market,
      ...ids,
      userId,
      activate: () => market.activateAddon({ ...ids, by: userId, sessionId: null }),
    };
  };

  test('takes no activations; its administrators stay, and can deactivate, but approve nothing', async () => {
    const over = await withAddon();
    const { organizationId, addonId, userId } = over;
    valueOf(await over.activate());
    expect(await over.mayApproveFor(organizationId, userId)).toBe(true);
    expect(valueOf(await over.closeOrganization({ organizationId }))).toMatchObject({ changed: true });
    expect(valueOf(await over.closeOrganization({ organizationId }))).toMatchObject({ changed: false });
    expect(await over.activate()).toMatchObject({ refusal: 'organization-closed' });
    expect(await over.mayApproveFor(organizationId, userId)).toBe(false);
    expect(await over.isAdministrator(organizationId, userId)).toBe(true);
    valueOf(await over.deactivateAddon({ organizationId, addonId, by: userId }));
    expect(await over.activate()).toMatchObject({ refusal: 'organization-closed' });
    valueOf(await over.updateOrganization({ organizationId, name: 'Harbour House (closed)' }));
    for (const id of [nobody, 'x'])
      expect(await over.closeOrganization({ organizationId: id })).toMatchObject({
        refusal: 'organization-unknown',
      });
  });

  test('keeps no activation that was under way when it was closed: it takes itself back', async () => {
    const { hooks, arm } = atAppend('beforeAppend', 'AddonActivated');
    const over = await withAddon(hooks);
    const { organizationId, addonId } = over;
    arm(async () => valueOf(await over.closeOrganization({ organizationId })));
    expect(await over.activate()).toMatchObject({ refusal: 'organization-closed' });
    expect(over.types().slice(-3)).toEqual(['OrganizationClosed', 'AddonActivated', 'AddonDeactivated']);
    const subject = `activation:${organizationId}.${addonId}` as const;
    expect(await over.fence.read([subject])).toMatchObject([{ subject, open: false }]);
  });
});
