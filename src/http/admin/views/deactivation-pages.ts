import { markName } from '../../../domain/kernel/sentence.ts';
import type { Acted, ActivationEpoch } from '../../../commands/organizations/show-activation.ts';
import type { AddonFacts } from '../../../tasks/organizations/addon-facts.ts';
import { alert, facts, moment, type FactRow } from '../../pages/components.ts';
import { filled, markup, say, stress, type Html } from '../../pages/html.ts';
import { addonPath, page, type FormView } from '../../pages/render.ts';
import type { SignedReceipt } from '../signed-receipt.ts';
import { doneText, isoOf } from './texts.ts';
import { access } from '../../words/access.ts';

export type ReceiptView = Omit<AddonFacts, 'epoch'> &
  FormView & {
    readonly organization: { readonly organizationId: string; readonly name: string };
    readonly epoch: ActivationEpoch;
    readonly deactivated: Acted;
    /** Facts that only the answer to the deactivation had; null without them. */
    readonly signed: SignedReceipt | null;
  };

/** The log only records the decision: the answer or the projectors confirm that all instances refuse the tokens. */
const isRefused = ({ signed, refusedEverywhere }: ReceiptView): boolean =>
  signed !== null || refusedEverywhere;

const titleOf = (view: ReceiptView, name: string): string => {
  const { receiptOf, noReceiptYet } = view.reader.words.admin;
  return isRefused(view) ? receiptOf(name) : noReceiptYet(name);
};

export const receiptPage = page<ReceiptView>(
  (view) => titleOf(view, view.addon.name),
  (view) => {
    const { base, organization, activation, epoch, signed, reader } = view;
    const { admin } = reader.words;
    const isLatest = activation.epoch === epoch.epoch;
    const kept = signed ? admin.keepAddress : isRefused(view) && admin.fromLog;
    return markup`<div class="card">
<h1>${say(titleOf(view, markName(view.addon.name)))}</h1>
${
  isRefused(view)
    ? markup`<p role="status">${stress(admin.refused(markName(organization.name)))}${activation.epoch > epoch.epoch && ` ${admin.activatedLater}`}</p>`
    : alert(admin.notKnownYet(isLatest))
}
${facts(reader, receiptRows(view))}
${!isRefused(view) && isLatest && deactivation(view, admin.onceMore)}
<div class="actions"><a class="button plain" href="${addonPath(view)}">${admin.theAddon}</a> <a class="button plain" href="${base}/admin/organizations/${organization.organizationId}">${admin.addonsOfOrganization}</a></div>
<p class="soft small unprinted note">${kept}</p>
</div>
`;
  },
);

const codeOf = (text: string): Html => markup`<code>${text}</code>`;

const receiptRows = (view: ReceiptView): readonly FactRow[] => {
  const { addon, organization, epoch, deactivated, names, signed, reader } = view;
  const { admin } = reader.words;
  const { commit, prepare } = deactivated.position;
  const named = (name: string, id: string) => markup`<bdi>${name}</bdi><br>${codeOf(id)}`;
  const activated = filled((slot) =>
    admin.activationOf(epoch.epoch, doneText(reader, slot, epoch.activated, names)),
  );
  const ended = signed?.ended;
  return [
    { label: admin.addon, value: named(addon.name, addon.addonId) },
    { label: admin.organization, value: named(organization.name, organization.organizationId) },
    { label: admin.activation, value: activated },
    {
      label: admin.deactivated,
      value: filled((slot) => doneText(reader, slot, deactivated, names)),
    },
    ...(signed
      ? [
          {
            label: admin.inForce,
            value: filled((slot) => admin.inForceAt(slot(moment(reader, isoOf(signed.fencedAt))))),
          },
        ]
      : []),
    {
      label: admin.event,
      value: say(admin.eventAt(markName('AddonDeactivated'), markName(`${commit}/${prepare}`)), codeOf),
    },
    ...(ended
      ? [
          {
            label: admin.ended,
            value: admin.heldThen(admin.held(ended.liveGrants, ended.approvers, ended.unredeemedCodes)),
          },
        ]
      : []),
    { label: admin.revocation, value: revocationOf(view) },
  ];
};

const revocationOf = (view: ReceiptView): Html => {
  const { held, epoch, reader } = view;
  const { admin } = reader.words;
  const event = markName('GrantRevoked');
  const { revokedGrants } = epoch;
  if (revokedGrants !== null)
    return say(revokedGrants === 0 ? admin.nothingRevoked : admin.revocations(revokedGrants, event), codeOf);
  const left = held?.notRevoked ?? null;
  const missing =
    left === null
      ? admin.someMissing(event)
      : left > 0
        ? admin.missing(left, event)
        : admin.lastMissing(markName('RevocationCompleted'));
  return markup`${say(missing, codeOf)} ${isRefused(view) ? admin.refusedReload : admin.reload}`;
};

type Deactivation = FormView & Parameters<typeof addonPath>[0];

/** @param keep leads back to the add-on */
const deactivation = (view: Deactivation, submit: string, keep: string | null = null): Html =>
  markup`<form method="post" action="${addonPath(view)}/deactivate">
<input type="hidden" name="csrf" value="${view.csrf}">
<div class="actions"><button type="submit" class="danger sure">${submit}</button>${keep && markup` <a class="button plain" href="${addonPath(view)}">${keep}</a>`}</div>
</form>`;

type DeactivateView = AddonFacts &
  FormView & {
    readonly organization: { readonly organizationId: string; readonly name: string };
  };

export const deactivatePage = page<DeactivateView>(
  ({ addon, reader: { words } }) => words.admin.deactivateQuestion(addon.name),
  (view) => {
    const { addon, organization, reader } = view;
    const { admin, frame } = reader.words;
    const name = markName(addon.name);
    return markup`<div class="card">
<h1>${say(admin.deactivateQuestion(name))}</h1>
<p>${stress(admin.losesAccess(name, markName(organization.name)))}</p>
<h2>${admin.stops}</h2>
<ul>
${stopping(view).map((line) => markup`<li>${stress(line)}</li>`)}
</ul>
<h2>${admin.stays}</h2>
<ul>
${admin.staying.map((line) => markup`<li>${line}</li>`)}
</ul>
${deactivation(view, admin.deactivate, frame.keep)}
</div>
`;
  },
);

const stopping = ({ held, reader }: DeactivateView): readonly string[] => {
  const { admin } = reader.words;
  if (!held) return [admin.unknownStop];
  const { liveGrants, approvers, unredeemedCodes, scopes } = held;
  return [
    liveGrants === 0
      ? admin.nothingStops
      : admin.grantsStop(markName(admin.grantCount(liveGrants)), markName(admin.personCount(approvers))),
    ...(unredeemedCodes > 0 ? [admin.codesStop(unredeemedCodes)] : []),
    ...(scopes.length > 0
      ? [admin.noLongerSees(access(reader, scopes, { person: null, ofOrganization: true }))]
      : []),
  ];
};
