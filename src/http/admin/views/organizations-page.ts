import { badge, card, empty, head, link, nameOf } from '../../pages/components.ts';
import { filled, markup, type Html } from '../../pages/html.ts';
import { lead, list, menuColumn } from '../../pages/list.ts';
import { page, type PageView } from '../../pages/render.ts';
import { changedDays, unusedDays, type Noted, type OrganizationSummary } from '../attention.ts';

type OrganizationsView = PageView & { readonly organizations: readonly OrganizationSummary[] };

/** The administrators' home: their organizations with counts, and what needs attention (PG-06). */
export const organizationsPage = page<OrganizationsView>(
  ({ reader: { words } }) => words.frame.organizations,
  (view) => {
    const { base, organizations, reader } = view;
    const { admin, frame } = reader.words;
    const pathTo = (one: OrganizationSummary) => pathOf(view, one);
    const count = (n: number | undefined) => (n === undefined ? '–' : reader.number(n));
    return markup`${head(frame.organizations)} ${attention(view)}
<section class="card rows-card">
${
  organizations.length === 0
    ? empty(
        admin.noOrganizations,
        markup`<a class="button plain" href="${base}/account">${frame.account}</a>`,
      )
    : list<OrganizationSummary>(
        frame.organizations,
        [
          {
            label: admin.organization,
            cell: (one) =>
              lead({
                name: markup`<a href="${pathTo(one)}" aria-label="${admin.addonsOf(one.name)}">${nameOf(one.name)}</a>`,
                initial: one.name,
              }),
          },
          { label: admin.activeAddons, isNumber: true, cell: ({ counts }) => count(counts?.active) },
          { label: admin.grants, from: 'm', isNumber: true, cell: ({ counts }) => count(counts?.grants) },
          {
            label: admin.state,
            as: 'state',
            cell: ({ counts }) =>
              counts !== null && counts.failing > 0 && badge('stop', admin.failing(counts.failing)),
          },
          menuColumn(
            reader,
            ({ name }) => name,
            (one) => [
              markup`<a href="${pathTo(one)}/timeline" aria-label="${admin.historyOf(one.name)}">${admin.history}</a>`,
            ],
          ),
        ],
        organizations,
      )
}
</section>
`;
  },
  () => ({ wide: true }),
);

const pathOf = ({ base }: OrganizationsView, { organizationId }: OrganizationSummary): string =>
  `${base}/admin/organizations/${organizationId}`;

/** What an administrator should look at; each line leads to the pages on which something can be done. */
const attention = (view: OrganizationsView): Html | null => {
  const { reader } = view;
  const { admin } = reader.words;
  const lines = view.organizations.flatMap((one) => {
    const here = pathOf(view, one);
    const line = (
      found: readonly Noted[],
      text: (organization: string, addons: string) => string,
      page = '',
    ) => {
      if (found.length === 0) return [];
      const sentence = filled((slot) => {
        const named = found
          .slice(0, mostNamed)
          .map(({ addonId, name }) => slot(link(`${here}/addons/${addonId}${page}`, nameOf(name))));
        const more = found.length - named.length;
        const all = more > 0 ? [...named, slot(link(here, admin.more(more)))] : named;
        return text(slot(link(here, nameOf(one.name))), reader.list(all));
      });
      return [markup`<li>${sentence}</li>`];
    };
    const { unfinished, failing, alike, changed, unused } = one.noted;
    return [
      ...line(alike, admin.alikeIn),
      ...line(changed, (organization, addons) => admin.changedIn(organization, addons, changedDays)),
      ...line(unfinished, admin.unfinishedIn),
      ...line(failing, admin.unreachableIn),
      ...line(unused, (organization, addons) => admin.unusedIn(organization, addons, unusedDays), '/grants'),
    ];
  });
  return lines.length === 0
    ? null
    : card(
        admin.attention,
        markup`<ul class="plainlist">
${lines}
</ul>`,
        'attention',
      );
};

/** Add-ons in one line. */
const mostNamed = 5;
