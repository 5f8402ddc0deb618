import { describe, expect, test } from 'vitest';
import {
  addAdministrator,
  addAuditor,
  administers,
  closeOrganization,
  createOrganization,
  isOpen,
  isAuditedBy,
  type Organization,
  organizationDecider,
  type OrganizationEvent,
  removeAuditor,
  renameOrganization,
  setExternalId,
} from '../../../src/domain/organizations/organization.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(organizationDecider);
const named = { organizationId: 'harbour', name: 'Harbour House' };
const created: OrganizationEvent = { type: 'OrganizationCreated', data: { ...named, at: 1 } };
const added = (userId: string): OrganizationEvent => ({
  type: 'AdministratorAdded',
  data: { userId, source: null, at: 2 },
});
const removed = (userId: string): OrganizationEvent => ({
  type: 'AdministratorRemoved',
  data: { userId, source: null, at: 3 },
});
const creating = (organization: Organization) => createOrganization(organization, { ...named, now: 1 });
const adding = (userId: string) => (organization: Organization) =>
  addAdministrator(organization, { userId, now: 2 });

describe('an organization', () => {
  test('is created once', () => {
    given().when(creating).accepted(created);
    given(created).when(creating).refused('organization-exists');
  });

  test('AC-04: has each administrator once, and again after a removal', () => {
    given(created).when(adding('ada')).accepted(added('ada'));
    given(created, added('ada')).when(adding('ada')).accepted();
    given(created, added('ada')).when(adding('bo')).accepted(added('bo'));
    given(created, added('ada'), removed('ada')).when(adding('ada')).accepted(added('ada'));
    given().when(adding('ada')).refused('organization-unknown');
  });

  test('AC-04: is administered by those who were added and not removed', () => {
    const { state } = given(created, added('ada'), added('bo'), removed('ada'));
    expect(administers(state, 'ada')).toBe(false);
    expect(administers(state, 'bo')).toBe(true);
    expect(administers(given().state, 'ada')).toBe(false);
  });

  test('has each auditor once, who is no administrator, and not after a removal', () => {
    const appointed: OrganizationEvent = { type: 'AuditorAdded', data: { userId: 'ada', at: 2 } };
    const dismissed: OrganizationEvent = { type: 'AuditorRemoved', data: { userId: 'ada', at: 2 } };
    const appointing = (organization: Organization) => addAuditor(organization, { userId: 'ada', now: 2 });
    const dismissing = (organization: Organization) => removeAuditor(organization, { userId: 'ada', now: 2 });
    given(created).when(appointing).accepted(appointed);
    given(created, appointed).when(appointing).accepted();
    given(created, appointed).when(dismissing).accepted(dismissed);
    given(created, appointed, dismissed).when(dismissing).accepted();
    given(created, appointed, dismissed).when(appointing).accepted(appointed);
    given().when(appointing).refused('organization-unknown');
    given().when(dismissing).refused('organization-unknown');
    const { state } = given(created, appointed, added('bo'));
    expect([isAuditedBy(state, 'ada'), administers(state, 'ada')]).toEqual([true, false]);
    expect([isAuditedBy(state, 'bo'), administers(state, 'bo')]).toEqual([false, true]);
    expect(isAuditedBy(given(created, appointed, dismissed).state, 'ada')).toBe(false);
  });

  test('that was never created has nobody, whatever else its stream holds', () => {
    expect(given(added('ada'), removed('bo')).state).toEqual({ status: 'unknown' });
  });

  test('AM-10: has the name that it was given last; the same name again changes nothing', () => {
    const renamed = (name: string): OrganizationEvent => ({
      type: 'OrganizationRenamed',
      data: { name, at: 2 },
    });
    const renaming = (name: string) => (organization: Organization) =>
      renameOrganization(organization, { name, now: 2 });
    given(created).when(renaming('Mill')).accepted(renamed('Mill'));
    given(created).when(renaming(named.name)).accepted();
    given(created, renamed('Mill')).when(renaming(named.name)).accepted(renamed(named.name));
    given().when(renaming('Mill')).refused('organization-unknown');
  });

  test('AM-10: has one external id, and knows each that it had before once', () => {
    const set = (externalId: string): OrganizationEvent => ({
      type: 'OrganizationExternalIdSet',
      data: { externalId, at: 2 },
    });
    const setting = (externalId: string) => (organization: Organization) =>
      setExternalId(organization, { externalId, now: 2 });
    given(created).when(setting('a')).accepted(set('a'));
    given(created, set('a')).when(setting('a')).accepted();
    given().when(setting('a')).refused('organization-unknown');
    expect(given(created, set('a'), set('b'), set('a'), set('c')).state).toMatchObject({
      externalId: 'c',
      earlierExternalIds: ['b', 'a'],
    });
    expect(given(created, set('a'), set('b'), set('a')).state).toMatchObject({
      externalId: 'a',
      earlierExternalIds: ['b'],
    });
  });

  test('AM-10: is closed once and permanently, and keeps its people', () => {
    const closed: OrganizationEvent = { type: 'OrganizationClosed', data: { at: 2 } };
    const closing = (organization: Organization) => closeOrganization(organization, { now: 2 });
    given(created).when(closing).accepted(closed);
    given(created, closed).when(closing).accepted();
    given().when(closing).refused('organization-unknown');
    expect(isOpen(given(created).state)).toBe(true);
    expect(isOpen(given().state)).toBe(false);
    const { state } = given(created, added('ada'), closed);
    expect([isOpen(state), administers(state, 'ada')]).toEqual([false, true]);
  });
});
