import type { Scope } from '../../../domain/access/scope.ts';
import { badge, empty, field, nameOf, shortTime, table, type Column } from '../../pages/components.ts';
import { markup, type Html, type Part } from '../../pages/html.ts';
import { addonPath, page, type FormView } from '../../pages/render.ts';
import { english, words } from '../../pages/words.ts';

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
  readonly now: number;
};

export const addonGrantsPage = page<AddonGrantsView>(
  (view) => `Grants of ${view.addon.name} – ${view.organization.name}`,
  (view) => markup`<h1>Grants of <bdi>${view.addon.name}</bdi></h1>
<p>Each grant lets the add-on read records of <bdi>${view.organization.name}</bdi> until it is revoked or expires. Revoking one ends its tokens at once, on every server.</p>
<section class="card">${
    view.grants.length === 0
      ? empty(
          view.next === null
            ? 'No live grants. One is made when somebody approves the add-on for the organization.'
            : 'No live grants on this page.',
        )
      : table('Live grants', columnsOf(view), view.grants, true)
  }</section>
${view.next !== null && markup`<nav class="ways" aria-label="Pages"><span></span><a class="button plain" href="${addonPath(view)}/grants?after=${view.next}">Later grants</a></nav>`}
`,
  (view) => ({
    wide: true,
    crumbs: [
      { href: '/admin', label: 'Organizations' },
      { href: `/admin/organizations/${view.organization.organizationId}`, label: view.organization.name },
      {
        href: `/admin/organizations/${view.organization.organizationId}/addons/${view.addon.addonId}`,
        label: view.addon.name,
      },
    ],
  }),
);

const columnsOf = (view: AddonGrantsView): readonly Column<LiveGrantRow>[] => {
  const timeOr = (at: string | null): Part => (at === null ? 'None known' : shortTime(english(view.now), at));
  return [
    {
      label: 'Approved by',
      cell: ({ allowedBy, grantId, isUnused }) =>
        markup`<span id="of-${grantId}" title="${grantId}">${nameOf(allowedBy)}</span> ${isUnused && badge('stop', `Unused for ${view.unusedDays} days`)}`,
    },
    {
      label: 'Opens',
      from: 'm',
      cell: ({ scopes }) => (scopes.length === 0 ? 'nothing' : words.scopeWords(scopes)),
    },
    { label: 'Since', from: 'm', cell: ({ issuedAt }) => shortTime(english(view.now), issuedAt) },
    { label: 'Last token', from: 'l', cell: ({ lastTokenAt }) => timeOr(lastTokenAt) },
    { label: 'Last read', from: 'l', cell: ({ lastReadAt }) => timeOr(lastReadAt) },
    { label: 'Action', cell: ({ grantId }) => revocation(view, grantId) },
  ];
};

/** Opens to the reason and the button, so that a single click revokes nothing. */
const revocation = (view: AddonGrantsView, grantId: string): Html =>
  markup`<details class="revoke"><summary>Revoke…</summary><form method="post" action="${addonPath(view)}/grants/${grantId}/revoke">
<input type="hidden" name="csrf" value="${view.csrf}">
${field({ id: `reason-${grantId}`, name: 'reason', kind: 'text', label: 'Reason (optional), shown in the audit log', value: '' })}
<p class="note"><button type="submit" class="danger" aria-describedby="of-${grantId}">Revoke</button></p>
</form></details>`;
