import type { OrganizationAddon } from '../../../projections/read-models.ts';
import {
  alert,
  badge,
  card,
  empty,
  field,
  head,
  link,
  nameOf,
  notice,
  shortTime,
  table,
  tabs,
  type Column,
} from '../../pages/components.ts';
import { markup, type Html, type Part } from '../../pages/html.ts';
import { page, type FormView, type PageView } from '../../pages/render.ts';
import { english, words } from '../../pages/words.ts';

/** The lists of an organization's add-ons, and which of them are in it. */
export const addonLists = ['active', 'available', 'deactivated'] as const;
export type AddonListName = (typeof addonLists)[number];

export const listOfAddon = ({ status }: OrganizationAddon): AddonListName =>
  status === 'never-activated' ? 'available' : status;

export type AddonsView = FormView & {
  readonly organization: {
    readonly organizationId: string;
    readonly name: string;
    readonly isClosed: boolean;
  };
  readonly addons: readonly OrganizationAddon[];
  readonly list: AddonListName;
  readonly search: string;
  readonly now: number;
  /** Why the last action was not done. */
  readonly problem: string | null;
};

const pathOf = ({ base, organization }: Pick<AddonsView, 'base' | 'organization'>): string =>
  `${base}/admin/organizations/${organization.organizationId}`;

export const addonsPage = page<AddonsView>(
  (view) => `Add-ons of ${view.organization.name}`,
  (view) => {
    const here = pathOf(view);
    const inList = (list: AddonListName) => view.addons.filter((addon) => listOfAddon(addon) === list);
    const shown = inList(view.list).filter(({ name }) =>
      name.toLocaleLowerCase().includes(view.search.toLocaleLowerCase()),
    );
    return markup`${head(markup`Add-ons of <bdi>${view.organization.name}</bdi>`, markup`<a class="button plain" href="${here}/timeline">History</a>`)}
${view.problem && alert(view.problem)}
${view.organization.isClosed && notice('The organization is closed: no add-on can be activated for it. Its history stays.')}
${tabs(
  english(),
  'Add-ons',
  addonLists.map((name) => ({
    href: `${here}?list=${name}`,
    label: listWords[name],
    count: inList(name).length,
    isCurrent: name === view.list,
  })),
)}
${view.addons.length > 10 && searchForm(view)}
<section class="card">
${shown.length === 0 ? nothing(view) : table(listWords[view.list], columnsOf(view), shown, true)}
</section>
`;
  },
  () => ({ wide: true, crumbs: [{ href: '/admin', label: 'Organizations' }] }),
);

const listWords: Readonly<Record<AddonListName, string>> = {
  active: 'Active',
  available: 'Available',
  deactivated: 'Deactivated',
};

const searchForm = (view: AddonsView): Html =>
  markup`<form class="filters" method="get" action="${pathOf(view)}" role="search">
<input type="hidden" name="list" value="${view.list}">
<div>${field({ id: 'search', name: 'search', kind: 'search', label: 'Name', value: view.search })}</div>
<div class="actions"><button type="submit">Search</button></div>
</form>`;

const nothing = (view: AddonsView): Html => {
  if (view.search !== '') return empty('No add-on of this list has such a name.');
  if (view.addons.length === 0)
    return empty('No add-on is registered yet. The operator of this service registers them.');
  const available = markup`<a class="button" href="${pathOf(view)}?list=available">See what is available</a>`;
  return view.list === 'active'
    ? empty('No add-on is active for this organization.', available)
    : empty(view.list === 'available' ? 'Every add-on was activated before.' : 'No add-on was deactivated.');
};

const columnsOf = (view: AddonsView): readonly Column<OrganizationAddon>[] => {
  const time = (at: string | null): Part =>
    at === null ? markup`<span class="soft">–</span>` : shortTime(english(view.now), at);
  const hrefOf = ({ addonId }: OrganizationAddon) => `${pathOf(view)}/addons/${addonId}`;
  const first: Column<OrganizationAddon> = {
    label: 'Add-on',
    cell: (addon) => markup`${link(hrefOf(addon), nameOf(addon.name))} ${marksOf(addon)}`,
  };
  const publishers: readonly Column<OrganizationAddon>[] = view.addons.some(
    ({ publisher }) => publisher !== null,
  )
    ? [{ label: 'Publisher', from: 'l', cell: ({ publisher }) => publisher && nameOf(publisher) }]
    : [];
  const end: Column<OrganizationAddon> = {
    label: 'Action',
    cell: (addon) => actionOf(view, addon, hrefOf(addon)),
  };
  if (view.list === 'active')
    return [
      first,
      ...publishers,
      { label: 'Sees', from: 'm', cell: ({ scopes }) => words.scopeWords(scopes) || 'nothing yet' },
      {
        label: 'Grants',
        from: 'm',
        isNumber: true,
        cell: ({ liveGrants }) => liveGrants.toLocaleString('en-GB'),
      },
      { label: 'Last token', from: 'l', cell: ({ lastTokenAt }) => time(lastTokenAt) },
      {
        label: 'Activated',
        from: 'l',
        cell: (addon) =>
          markup`${time(addon.activatedAt)}
<span class="soft">by <bdi>${actor(addon.activatedBy, addon.activatedByName)}</bdi></span>`,
      },
      end,
    ];
  if (view.list === 'deactivated')
    return [
      first,
      ...publishers,
      {
        label: 'Deactivated',
        from: 'm',
        cell: (addon) =>
          markup`${time(addon.deactivatedAt)}
<span class="soft">by <bdi>${actor(addon.deactivatedBy, addon.deactivatedByName)}</bdi></span>`,
      },
      end,
    ];
  return [
    first,
    ...publishers,
    {
      label: 'Asks for at most',
      from: 'm',
      cell: ({ allowedScopes }) => words.allowedWords(allowedScopes) || 'no access to records',
    },
    end,
  ];
};

/** Active without a grant, e.g. because its configuration page was closed too soon. */
export const isUnfinished = (addon: OrganizationAddon): boolean =>
  addon.status === 'active' &&
  addon.liveGrants === 0 &&
  addon.configurationUrl !== null &&
  !addon.suspended &&
  !addon.retired;

const marksOf = (addon: OrganizationAddon): Part => [
  isUnfinished(addon) && badge('wait', 'Set-up not finished'),
  addon.suspended && badge('stop', 'Suspended'),
  addon.retired && badge('stop', 'Retired'),
];

const actionOf = (view: AddonsView, addon: OrganizationAddon, href: string): Part => {
  if (addon.status === 'active')
    return link(
      `${href}/deactivate`,
      markup`Deactivate<span class="hidden"> <bdi>${addon.name}</bdi></span>`,
    );
  if (addon.configurationUrl === null)
    return markup`<span class="soft small">Only for individual users</span>`;
  if (addon.suspended || addon.retired || view.organization.isClosed)
    return markup`<span class="soft">–</span>`;
  return markup`<form method="post" action="${href}/activate">
<input type="hidden" name="csrf" value="${view.csrf}"><button type="submit" class="plain" aria-label="Activate ${addon.name}" title="Leads to ${words.hostOf(addon.configurationUrl)}">Activate</button>
</form>`;
};

const actor = (by: string | null, name: string | null): string =>
  words.actorOf(by ?? '', new Map(by !== null && name !== null ? [[by, name]] : []));

export type OrganizationSummary = {
  readonly organizationId: string;
  readonly name: string;
  /** Null where that is not known at this moment. */
  readonly counts: {
    readonly active: number;
    readonly grants: number;
    readonly unfinished: number;
    readonly unused: number;
  } | null;
};

type OrganizationsView = PageView & {
  readonly organizations: readonly OrganizationSummary[];
  readonly unusedDays: number;
};

export const organizationsPage = page<OrganizationsView>(
  'Your organizations',
  ({ base, organizations, unusedDays }) =>
    markup`${head('Your organizations')} ${attention(base, organizations, unusedDays)}
<section class="card">
${
  organizations.length === 0
    ? empty(
        'You do not administer an organization. The operator of this service makes somebody an administrator.',
        markup`<a class="button plain" href="${base}/account">Your account</a>`,
      )
    : table(
        'Your organizations',
        [
          {
            label: 'Organization',
            cell: ({ organizationId, name }) =>
              markup`<a href="${base}/admin/organizations/${organizationId}"><span class="hidden">Add-ons of </span>${nameOf(name)}</a>`,
          },
          { label: 'Active add-ons', isNumber: true, cell: ({ counts }) => counts?.active ?? '–' },
          { label: 'Grants', from: 'm', isNumber: true, cell: ({ counts }) => counts?.grants ?? '–' },
          {
            label: 'History',
            from: 'm',
            cell: ({ organizationId, name }) =>
              markup`<a href="${base}/admin/organizations/${organizationId}/timeline">History<span class="hidden"> of <bdi>${name}</bdi></span></a>`,
          },
        ],
        organizations,
        true,
      )
}
</section>
`,
  () => ({ wide: true }),
);

/** What an administrator should look at, with the way to it. */
const attention = (
  base: string,
  organizations: readonly OrganizationSummary[],
  unusedDays: number,
): Html | null => {
  const lines = organizations.flatMap(({ organizationId, name, counts }) => {
    const here = `${base}/admin/organizations/${organizationId}`;
    const unfinished = counts?.unfinished ?? 0;
    const unused = counts?.unused ?? 0;
    return [
      unfinished > 0 &&
        markup`<li>
${link(here, nameOf(name))}: set-up is not finished for ${words.countOf(unfinished, 'add-on')}.
</li>`,
      unused > 0 &&
        markup`<li>
${link(here, nameOf(name))}: ${words.countOf(unused, 'grant was', 'grants were')} not used for
${unusedDays} days.
</li>`,
    ].filter((line) => line !== false);
  });
  return lines.length === 0
    ? null
    : card(
        'Needs attention',
        markup`<ul class="plainlist">
${lines}
</ul>`,
      );
};
