import { describe, expect, test } from 'vitest';
import {
  addAdministrator,
  administers,
  createOrganization,
  type Organization,
  organizationDecider,
  type OrganizationEvent,
} from '../../src/domain/organization.ts';
import { scenariosOf } from '../support/given.ts';

const given = scenariosOf(organizationDecider);
const named = { organizationId: 'harbour', name: 'Harbour House' };
const created: OrganizationEvent = { type: 'OrganizationCreated', data: { ...named, at: 1 } };
const added = (userId: string): OrganizationEvent => ({
  type: 'AdministratorAdded',
  data: { userId, at: 2 },
});
const removed = (userId: string): OrganizationEvent => ({
  type: 'AdministratorRemoved',
  data: { userId, at: 3 },
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

  test('that was never created has nobody, whatever else its stream holds', () => {
    expect(given(added('ada'), removed('bo')).state).toEqual({ status: 'unknown' });
  });
});
