import { askableWith } from '../../../domain/access/scope.ts';
import { isFoundBy } from '../../../domain/kernel/name.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import type { OrganizationAddon } from '../../../projections/read-models.ts';
import {
  alert,
  badge,
  empty,
  field,
  head,
  link,
  nameOf,
  notice,
  shortTime,
  sortingOf,
  tabs,
} from '../../pages/components.ts';
import { accessChips, lead, list as listHtml, type ListColumn, menuColumn } from '../../pages/list.ts';
import { markup, say, type Html, type Part } from '../../pages/html.ts';
import { page, type FormView } from '../../pages/render.ts';
import { actorOf, crumbsTo, hostOf, marked } from './texts.ts';

/** The lists of an organization's add-ons, and which of them are in it. */
export const addonLists = ['active', 'available', 'deactivated'] as const;
export type AddonListName = (typeof addonLists)[number];

export const listOfAddon = ({ status }: OrganizationAddon): AddonListName =>
  status === 'never-activated' ? 'available' : status;

/** What the lists can be sorted by: what has no value comes first. */
const sortKeys: ReadonlyMap<string, (addon: OrganizationAddon) => string | null> = new Map([
  ['name', ({ name }) => name],
  ['live_grants', ({ liveGrants }) => String(liveGrants)],
  ['last_token_at', ({ lastTokenAt }) => lastTokenAt],
  ['activated_at', ({ activatedAt }) => activatedAt],
  ['deactivated_at', ({ deactivatedAt }) => deactivatedAt],
]);

/** Each with `-` in front, from the end, too. */
export const addonSorts = [...sortKeys.keys()].flatMap((name) => [name, `-${name}`]);

/** Those that are equal stay in the order of their names. */
const sorted = (addons: readonly OrganizationAddon[], { sort, reader: { words } }: AddonsView) => {
  const keyOf = sortKeys.get(sort.replace(/^-/, ''));
  if (!keyOf) return addons;
  const { compare } = new Intl.Collator(words.locale, { numeric: true });
  const direction = sort.startsWith('-') ? -1 : 1;
  return addons.toSorted((one, other) => direction * compare(keyOf(one) ?? '', keyOf(other) ?? ''));
};

export type AddonsView = FormView & {
  readonly organization: {
    readonly organizationId: string;
    readonly name: string;
    readonly isClosed: boolean;
  };
  readonly addons: readonly OrganizationAddon[];
  /** The ids of those that cannot be notified of changes of their access. */
  readonly unreachable: ReadonlySet<string>;
  readonly list: AddonListName;
  readonly search: string;
  /** One of `addonSorts`. */
  readonly sort: string;
  /** Why the last action was not done. */
  readonly problem: string | null;
};

const pathOf = ({ base, organization }: Pick<AddonsView, 'base' | 'organization'>): string =>
  `${base}/admin/organizations/${organization.organizationId}`;

/** The list as it is shown, or another one. */
const addressOf = (view: AddonsView, change: Partial<Pick<AddonsView, 'list' | 'search' | 'sort'>>) => {
  const { list, search, sort } = { ...view, ...change };
  const query = new URLSearchParams({
    list,
    ...(search !== '' && { search }),
    ...(sort !== 'name' && { sort }),
  });
  return `${pathOf(view)}?${query.toString()}`;
};

export const addonsPage = page<AddonsView>(
  ({ organization, reader: { words } }) => words.admin.addonsOf(organization.name),
  (view) => {
    const { organization, addons, list, search, problem, reader } = view;
    const { admin } = reader.words;
    const here = pathOf(view);
    const found = addons.filter(({ name }) => isFoundBy(name, search));
    const inList = (name: AddonListName) => found.filter((addon) => listOfAddon(addon) === name);
    const shown = sorted(inList(list), view);
    return markup`${head(say(admin.addonsOf(markName(organization.name))), markup`<a class="button plain" href="${here}/timeline">${admin.history}</a>`)}
${problem && alert(problem)}
${organization.isClosed && notice(`${admin.closed} ${admin.historyStays}`)}
${tabs(
  reader,
  admin.addons,
  addonLists.map((name) => ({
    href: addressOf(view, { list: name }),
    label: admin.lists[name],
    count: inList(name).length,
    isCurrent: name === list,
  })),
)}
${addons.length > 10 && searchForm(view)}
<section class="card rows-card">
${shown.length === 0 ? nothing(view) : listHtml(admin.lists[list], columnsOf(view), shown)}
</section>
`;
  },
  (view) => ({ wide: true, crumbs: crumbsTo(view) }),
);

const searchForm = (view: AddonsView): Html => {
  const { admin } = view.reader.words;
  return markup`<form class="filters alone" method="get" action="${pathOf(view)}" role="search">
<input type="hidden" name="list" value="${view.list}">${view.sort !== 'name' && markup`<input type="hidden" name="sort" value="${view.sort}">`}
<div>${field({ id: 'search', name: 'search', kind: 'search', label: admin.searchAddons, value: view.search, isLabelHidden: true })}</div>
<div class="actions"><button type="submit">${admin.search}</button></div>
</form>`;
};

const nothing = (view: AddonsView): Html => {
  const { admin } = view.reader.words;
  const way = (change: Parameters<typeof addressOf>[1], label: string) =>
    markup`<a class="button plain" href="${addressOf(view, change)}">${label}</a>`;
  if (view.search !== '') return empty(admin.noneFound, way({ search: '' }, admin.showAll));
  if (view.addons.length === 0) return empty(admin.noneRegistered);
  if (view.list === 'active') return empty(admin.noneActive, way({ list: 'available' }, admin.seeAvailable));
  return empty(view.list === 'available' ? admin.noneAvailable : admin.noneDeactivated);
};

const columnsOf = (view: AddonsView): readonly ListColumn<OrganizationAddon>[] => {
  const { reader } = view;
  const { admin } = reader.words;
  const time = (at: string | null): Part => at && shortTime(reader, at);
  const done = (at: string | null, by: string | null, name: string | null): Part =>
    at &&
    markup`${time(at)} <span class="soft">${say(admin.by(marked(actorOf(by ?? '', new Map(by !== null && name !== null ? [[by, name]] : [])))))}</span>`;
  const sorting = sortingOf(reader, [...sortKeys.keys()], view.sort, (sort) => addressOf(view, { sort }));
  const hrefOf = ({ addonId }: OrganizationAddon) => `${pathOf(view)}/addons/${addonId}`;
  const first: ListColumn<OrganizationAddon> = {
    label: admin.addon,
    sort: sorting('name'),
    cell: (addon) =>
      lead({
        name: link(hrefOf(addon), nameOf(addon.name)),
        initial: addon.name,
        second: addon.publisher && nameOf(addon.publisher),
      }),
  };
  const state: ListColumn<OrganizationAddon> = {
    label: admin.state,
    as: 'state',
    cell: (addon) => marksOf(view, addon),
  };
  const end = menuColumn<OrganizationAddon>(
    reader,
    ({ name }) => name,
    (addon) => waysOf(view, addon, hrefOf(addon)),
  );
  if (view.list === 'active')
    return [
      first,
      {
        label: admin.sees,
        from: 'm',
        cell: ({ scopes }) => (scopes.length === 0 ? admin.nothingYet : accessChips(reader, scopes)),
      },
      {
        label: admin.grants,
        from: 'm',
        isNumber: true,
        sort: sorting('live_grants'),
        cell: ({ liveGrants }) => reader.number(liveGrants),
      },
      {
        label: admin.lastToken,
        from: 'l',
        sort: sorting('last_token_at'),
        cell: ({ lastTokenAt }) => time(lastTokenAt),
      },
      {
        label: admin.activated,
        from: 'l',
        sort: sorting('activated_at'),
        cell: (addon) => done(addon.activatedAt, addon.activatedBy, addon.activatedByName),
      },
      state,
      end,
    ];
  if (view.list === 'deactivated')
    return [
      first,
      {
        label: admin.deactivated,
        from: 'm',
        sort: sorting('deactivated_at'),
        cell: (addon) => done(addon.deactivatedAt, addon.deactivatedBy, addon.deactivatedByName),
      },
      state,
      end,
    ];
  return [
    first,
    {
      label: admin.asksAtMost,
      from: 'm',
      cell: ({ allowedScopes }) => accessChips(reader, askableWith(allowedScopes)),
    },
    {
      label: admin.state,
      as: 'state',
      cell: (addon) =>
        addon.configurationUrl === null
          ? markup`<span class="soft small">${admin.onlyForUsers}</span>`
          : marksOf(view, addon),
    },
    end,
  ];
};

/** Of an active add-on: it has no grant, e.g. because its configuration page was closed too soon. */
export const isUnfinished = (
  addon: Pick<OrganizationAddon, 'liveGrants' | 'configurationUrl' | 'suspended' | 'retired'>,
): boolean => addon.liveGrants === 0 && addon.configurationUrl !== null && !addon.suspended && !addon.retired;

const marksOf = ({ unreachable, reader: { words } }: AddonsView, addon: OrganizationAddon): Part =>
  [
    addon.status === 'active' && isUnfinished(addon) && badge('wait', words.admin.unfinished),
    unreachable.has(addon.addonId) && badge('wait', words.admin.unreachable),
    addon.suspended && badge('stop', words.account.suspended),
    addon.retired && badge('stop', words.account.retired),
  ].map((mark) => mark && markup`${mark} `);

const waysOf = (view: AddonsView, addon: OrganizationAddon, href: string): readonly Part[] => {
  const { admin } = view.reader.words;
  if (addon.status === 'active')
    return [
      markup`<a href="${href}/grants">${admin.grants}</a>`,
      markup`<a class="wrong" href="${href}/deactivate" aria-label="${admin.deactivateIt(addon.name)}">${admin.deactivate}</a>`,
    ];
  const isPossible =
    addon.configurationUrl !== null && !addon.suspended && !addon.retired && !view.organization.isClosed;
  return isPossible
    ? [
        markup`<form method="post" action="${href}/activate">
<input type="hidden" name="csrf" value="${view.csrf}"><button type="submit" aria-label="${admin.activateIt(addon.name)}" title="${admin.leadsTo(hostOf(addon.configurationUrl ?? ''))}">${admin.activate}</button>
</form>`,
      ]
    : [];
};
