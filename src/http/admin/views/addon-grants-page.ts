import type { Scope } from '../../../domain/access/scope.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { badge, empty, field, nameOf, shortTime } from '../../pages/components.ts';
import { accessChips, lead, list, type ListColumn, menuColumn } from '../../pages/list.ts';
import { markup, say, type Html, type Part } from '../../pages/html.ts';
import { addonPath, page, type FormView } from '../../pages/render.ts';
import { crumbsTo } from './texts.ts';

/** Times are RFC 3339. */
export type LiveGrantRow = {
  readonly grantId: string;
  readonly allowedBy: string;
  readonly scopes: readonly Scope[];
  readonly issuedAt: string;
  readonly lastTokenAt: string | null;
  readonly lastReadAt: string | null;
  readonly isUnused: boolean;
};

export type AddonGrantsView = FormView & {
  readonly organization: { readonly organizationId: string; readonly name: string };
  readonly addon: { readonly addonId: string; readonly name: string };
  readonly grants: readonly LiveGrantRow[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
  readonly unusedDays: number;
};

export const addonGrantsPage = page<AddonGrantsView>(
  ({ addon, organization, reader: { words } }) =>
    `${words.admin.grantsOf(addon.name)} – ${organization.name}`,
  (view) => {
    const { addon, organization, grants, next, reader } = view;
    const { admin, parts } = reader.words;
    return markup`<h1>${say(admin.grantsOf(markName(addon.name)))}</h1>
<p>${say(admin.grantsHow(markName(organization.name)))}</p>
<section class="card rows-card">${
      grants.length === 0
        ? empty(next === null ? admin.noGrants : admin.noGrantsHere)
        : list(admin.liveGrants, columnsOf(view), grants)
    }</section>
${next !== null && markup`<nav class="ways" aria-label="${parts.pages}"><span></span><a class="button plain" href="${addonPath(view)}/grants?after=${next}">${admin.laterGrants}</a></nav>`}
`;
  },
  (view) => ({ wide: true, crumbs: crumbsTo(view, view.organization, view.addon) }),
);

const columnsOf = (view: AddonGrantsView): readonly ListColumn<LiveGrantRow>[] => {
  const { reader, unusedDays } = view;
  const { admin } = reader.words;
  const timeOr = (at: string | null): Part => at && shortTime(reader, at);
  return [
    {
      label: admin.approvedBy,
      cell: ({ allowedBy, grantId }) =>
        lead({
          name: markup`<span id="of-${grantId}" title="${grantId}">${nameOf(allowedBy)}</span>`,
          initial: allowedBy,
        }),
    },
    {
      label: admin.opens,
      from: 'm',
      cell: ({ scopes }) => (scopes.length === 0 ? admin.nothing : accessChips(reader, scopes)),
    },
    { label: admin.since, from: 'm', cell: ({ issuedAt }) => shortTime(reader, issuedAt) },
    { label: admin.lastToken, from: 'l', cell: ({ lastTokenAt }) => timeOr(lastTokenAt) },
    { label: admin.lastRead, from: 'l', cell: ({ lastReadAt }) => timeOr(lastReadAt) },
    {
      label: admin.state,
      as: 'state',
      cell: ({ isUnused }) => isUnused && badge('stop', admin.unusedFor(unusedDays)),
    },
    menuColumn(
      reader,
      ({ allowedBy }) => allowedBy,
      ({ grantId }) => [revocation(view, grantId)],
    ),
  ];
};

/** The menu opens to the reason and the button, so that a single click revokes nothing. */
const revocation = (view: AddonGrantsView, grantId: string): Html => {
  const { admin } = view.reader.words;
  return markup`<form class="asking" method="post" action="${addonPath(view)}/grants/${grantId}/revoke">
<input type="hidden" name="csrf" value="${view.csrf}">
${field({ id: `reason-${grantId}`, name: 'reason', kind: 'text', label: admin.reason, value: '' })}
<p class="note"><button type="submit" class="danger" aria-describedby="of-${grantId}">${admin.revoke}</button></p>
</form>`;
};
