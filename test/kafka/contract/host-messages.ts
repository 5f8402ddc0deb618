type HostMessage = {
  readonly what: string;
  readonly resource: 'profile' | 'reservation' | 'access-right';
  /** Of the message in the document. */
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly isGood: boolean;
};

const identity = { organization_id: '01K9RZ3Q5V0000000000000003', id: 'rec_1', version: 4 };

const whole = {
  profile: {
    ...identity,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    user_id: '01K9RZ3Q5V0000000000000001',
    phone: '+43 1 234',
    locale: 'de-AT',
    external_id: 'crm/7',
  },
  reservation: {
    ...identity,
    profile_id: 'p_1',
    resource: 'Room 7',
    starts_at: '2026-05-01T09:00:00Z',
    ends_at: '2026-05-01T12:00:00.250+02:00',
    status: 'confirmed',
    title: 'Board',
    note: 'two\nlines',
  },
  'access-right': {
    ...identity,
    profile_id: 'p_1',
    opens: 'Front door',
    valid_from: '2026-05-01T09:00:00Z',
    valid_until: null,
    status: 'active',
    reservation_id: 'rec_9',
  },
} as const;

type Resource = keyof typeof whole;

const changed = (
  resource: Resource,
  what: string,
  change: Readonly<Record<string, unknown>>,
  isGood: boolean,
  name: string = resource,
): HostMessage => ({
  what: `${name} ${what}`,
  resource,
  name,
  isGood,
  // What is undefined is left out, as JSON does it.
  value: JSON.parse(JSON.stringify({ ...whole[resource], ...change })) as Record<string, unknown>,
});

const ofEach = (['profile', 'reservation', 'access-right'] as const).flatMap((resource) => [
  changed(resource, 'with every field', {}, true),
  changed(resource, 'that says it is not deleted', { deleted: false }, true),
  changed(resource, 'with a field too many', { shoe_size: 43 }, false),
  changed(resource, 'without an organization', { organization_id: undefined }, false),
  changed(resource, 'with an id that cannot be one', { id: 'a b' }, false),
  changed(resource, 'with every character of an id', { id: 'Az09._~:@+/=-' }, true),
  changed(resource, 'with an id of 128 characters', { id: '-'.repeat(128) }, true),
  changed(resource, 'with an id of 129 characters', { id: '-'.repeat(129) }, false),
  changed(resource, 'of version 0', { version: 0 }, false),
  changed(resource, 'with a version as text', { version: '4' }, false),
  {
    what: `${resource}-removal`,
    resource,
    name: `${resource}-removal`,
    value: { ...identity, deleted: true },
    isGood: true,
  },
]);

/** What the host platform might send; what JSON Schema cannot say (a period that ends before it begins) is left out. */
export const hostMessages: readonly HostMessage[] = [
  ...ofEach,
  changed(
    'profile',
    'without what may be left out',
    { user_id: undefined, phone: undefined, locale: null, external_id: undefined },
    true,
  ),
  changed('profile', 'without an e-mail address', { email: undefined }, false),
  changed('profile', 'with no e-mail address', { email: 'ada' }, false),
  changed('profile', 'with a name too long', { name: 'x'.repeat(201) }, false),
  changed('profile', 'with an empty name', { name: '' }, false),
  changed('profile', 'with no language tag', { locale: 'de_AT!' }, false),
  changed('reservation', 'without what may be left out', { title: undefined, note: null }, true),
  changed('reservation', 'with a status that there is not', { status: 'maybe' }, false),
  changed('reservation', 'with no time', { starts_at: 'tomorrow' }, false),
  changed('reservation', 'with a time without an offset', { starts_at: '2026-05-01T09:00:00' }, false),
  changed(
    'access-right',
    'without what may be left out',
    { valid_until: undefined, reservation_id: undefined },
    true,
  ),
  changed('access-right', 'of a profile whose id cannot be one', { profile_id: 'a%b' }, false),
  changed('profile', 'of a user whose id cannot be one', { user_id: 'a-b' }, false),
  changed('profile', 'of an organization whose id cannot be one', { organization_id: 'a.b' }, false),
  changed('access-right', 'without what it opens', { opens: undefined }, false),
];
