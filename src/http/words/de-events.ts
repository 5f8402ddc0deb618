import type { SentenceContext } from '../../domain/describe-event.ts';
import type { unsettable } from '../../domain/addons/events.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import { splitId } from '../../domain/kernel/stream-name.ts';
import type { EventOf } from '../../domain/events.ts';
import type { EventWords } from './event-words.ts';
import { countIn } from './plural.ts';

const count = countIn('de-DE');

const listOf = (list: readonly string[], { scopes }: SentenceContext): string =>
  list.length === 0 ? 'keinen Scope' : scopes(list);
const whose = (subjectId: string, userId: string, { organization, user }: SentenceContext): string =>
  subjectId === userId ? `die eigenen Daten von ${user(userId)}` : `die Daten von ${organization(subjectId)}`;
const byClaim = (source: string | null): string =>
  source === 'claim' ? ', laut Angabe des Anmelde-Anbieters' : '';
const except = (session: string | null): string => (session === null ? '' : `, außer Sitzung ${session}`);
const addonOf = ({ owner, addon }: SentenceContext): string =>
  owner?.addonId ? addon(owner.addonId) : 'dem Add-on';
const addonAsSubject = ({ owner, addon }: SentenceContext): string =>
  owner?.addonId ? addon(owner.addonId) : 'Das Add-on';
const both = ({ streamId, addon, organization }: SentenceContext) => {
  const [organizationId, addonId] = splitId(streamId);
  return { addon: addon(addonId), organization: organization(organizationId) };
};
const sessionUser = ({ owner, user }: SentenceContext): string =>
  owner?.userId ? user(owner.userId) : 'Jemand';
const delivery = (method: 'poll' | 'push', endpointUrl: string | null): string =>
  method === 'poll' ? 'durch Abruf' : `durch Zustellung an ${markName(endpointUrl ?? '')}`;

const refusals: Readonly<Record<string, string>> = {
  'code-of-another-client': 'er kam von einem anderen Add-on',
  'redirect-uri-mismatch': 'die Redirect-URI war eine andere',
  'verifier-mismatch': 'der Code-Verifier war falsch (PKCE)',
  'code-expired': 'er war abgelaufen',
  'token-of-another-client': 'es kam von einem anderen Add-on',
};

const properties: Readonly<Record<(typeof unsettable)[number], string>> = {
  configurationUrl: 'Konfigurationsadresse',
  publisher: 'Anbieter',
  website: 'Website',
  privacyUrl: 'Datenschutzadresse',
  supportUrl: 'Hilfeadresse',
  logo: 'Logo',
};

const changesIn = (data: EventOf<'AddonUpdated'>['data'], telling: SentenceContext): string => {
  const given = <T>(value: T | null, say: (value: T) => string) => (value === null ? [] : [say(value)]);
  return [
    ...given(data.name, (name) => `es heißt jetzt „${markName(name)}“`),
    ...given(data.redirectUris, (uris) => `seine Redirect-URIs sind jetzt ${uris.join(' ') || 'keine'}`),
    ...given(data.configurationUrl, (url) => `seine Konfigurationsadresse ist jetzt ${url}`),
    ...given(data.allowedScopes, (scopes) => `es darf jetzt anfragen: ${listOf(scopes, telling)}`),
    ...given(
      data.postLogoutRedirectUris,
      (uris) => `eine Abmeldung darf jetzt führen zu: ${uris.join(' ') || 'keiner Adresse'}`,
    ),
    ...given(data.publisher, (publisher) => `sein Anbieter ist jetzt „${markName(publisher)}“`),
    ...given(data.website, (url) => `seine Website ist jetzt ${url}`),
    ...given(data.privacyUrl, (url) => `seine Datenschutzadresse ist jetzt ${url}`),
    ...given(data.supportUrl, (url) => `seine Hilfeadresse ist jetzt ${url}`),
    ...given(data.logo, () => 'es hat ein neues Logo'),
  ].join('; ');
};

const proposedIn = (data: EventOf<'AddonChangeRequested'>['data']): string => {
  const change = (what: string, uris: readonly string[]) =>
    uris.length === 0 ? [] : [`${what}: ${uris.join(' ')}`];
  const address = (what: string, url: string | null) => (url === null ? [] : [`${what}: ${url}`]);
  return [
    ...change('Redirect-URI hinzufügen', data.addRedirectUris),
    ...change('Redirect-URI entfernen', data.removeRedirectUris),
    ...address('Konfigurationsadresse', data.configurationUrl),
    ...change('Abmeldung darf führen zu', data.addPostLogoutRedirectUris),
    ...change('Abmeldung darf nicht mehr führen zu', data.removePostLogoutRedirectUris),
    ...address('Website', data.website),
    ...address('Datenschutzadresse', data.privacyUrl),
    ...address('Hilfeadresse', data.supportUrl),
  ].join('; ');
};

const queries: Readonly<Record<EventOf<'AuditQueried'>['data']['query'], string>> = {
  organizations: 'Organisationen',
  timeline: 'Ereignisse',
  grants: 'Freigaben',
  replay: 'Wiedergabe',
  'as-of': 'Stand zu einem Zeitpunkt',
  exposure: 'gelesene Daten',
  export: 'Export',
};

const roles = { auditor: 'Prüfung', operator: 'Betrieb' } as const;
const statuses = { enabled: 'eingeschaltet', paused: 'angehalten', disabled: 'ausgeschaltet' } as const;
type DeadLetter = { readonly topic: string; readonly partition: number; readonly offset: string };
const letter = ({ topic, partition, offset }: DeadLetter): string => `${topic}/${partition}/${offset}`;

/** What `sentence` of each description says, in German, and what its kind is called. */
export const deEvents: EventWords = {
  ScopesApproved: {
    kind: 'Zugriff erlaubt',
    sentence: ({ userId, addonId, scopes }, telling) =>
      `${telling.user(userId)} hat ${telling.addon(addonId)} Zugriff auf ${whose(splitId(telling.streamId)[0], userId, telling)} erlaubt: ${listOf(scopes, telling)}.`,
  },
  AudienceApproved: {
    kind: 'Zugriff an einem anderen Server erlaubt',
    sentence: ({ userId, addonId, audience, scopes }, telling) =>
      `${telling.user(userId)} hat ${telling.addon(addonId)} Zugriff auf ${whose(splitId(telling.streamId)[0], userId, telling)} bei „${audience}“ erlaubt: ${listOf(scopes, telling)}.`,
  },
  ConsentWithdrawn: {
    kind: 'Zugriff entzogen',
    sentence: ({ userId, addonId }, telling) =>
      `${telling.user(userId)} hat ${telling.addon(addonId)} den Zugriff auf ${whose(splitId(telling.streamId)[0], userId, telling)} entzogen.`,
  },
  AuthorizationCodeIssued: {
    kind: 'Freigabe erteilt',
    sentence: ({ grantId, addonId, userId, subject, scopes }, telling) =>
      `${telling.addon(addonId)} hat einen Code für ${whose(subject.kind === 'organization' ? subject.organizationId : userId, userId, telling)} erhalten (${listOf(scopes, telling)}): ${telling.grant(grantId)}, erlaubt von ${telling.user(userId)}.`,
  },
  AuthorizationCodeRedeemed: {
    kind: 'Code eingelöst',
    sentence: ({ accessExpiresAt }, telling) =>
      `${addonAsSubject(telling)} hat den Code der ${telling.grant(telling.streamId)} für die ersten Token eingelöst; das Zugriffstoken gilt bis ${telling.time(accessExpiresAt)}.`,
  },
  CodeExchangeRejected: {
    kind: 'Einlösen eines Codes abgelehnt',
    sentence: ({ reason }, { grant, streamId }) =>
      `Ein Versuch, den Code der ${grant(streamId)} einzulösen, wurde abgelehnt: ${refusals[reason] ?? reason}.`,
  },
  AuthorizationCodeReplayed: {
    kind: 'Code noch einmal verwendet',
    sentence: (_, { grant, streamId }) =>
      `Der Code der ${grant(streamId)} wurde nach dem Einlösen noch einmal verwendet.`,
  },
  TokensRefreshed: {
    kind: 'Token erneuert',
    sentence: ({ rotation, scopes, accessExpiresAt }, telling) =>
      `${addonAsSubject(telling)} hat neue Token der ${telling.grant(telling.streamId)} erhalten (Erneuerung ${rotation}): ${listOf(scopes, telling)}; das Zugriffstoken gilt bis ${telling.time(accessExpiresAt)}.`,
  },
  TokensWithheld: {
    kind: 'Token zurückgehalten',
    sentence: ({ rotation }, { grant, streamId }) =>
      `Token der ${grant(streamId)} (Erneuerung ${rotation}) wurden zurückgehalten.`,
  },
  RefreshRejected: {
    kind: 'Refresh-Token abgelehnt',
    sentence: ({ rotation, reason }, { grant, streamId }) =>
      `Das Refresh-Token der ${grant(streamId)} (Erneuerung ${rotation}) wurde abgelehnt: ${refusals[reason] ?? reason}.`,
  },
  RefreshTokenReused: {
    kind: 'Refresh-Token noch einmal verwendet',
    sentence: ({ rotation }, { grant, streamId }) =>
      `Ein schon verwendetes Refresh-Token der ${grant(streamId)} (Erneuerung ${rotation}) wurde noch einmal vorgelegt.`,
  },
  AccessTokenRevoked: {
    kind: 'Zugriffstoken widerrufen',
    sentence: ({ rotation }, telling) =>
      `${addonAsSubject(telling)} hat das Zugriffstoken der Erneuerung ${rotation} der ${telling.grant(telling.streamId)} widerrufen; die Freigabe bleibt gültig.`,
  },
  GrantRevoked: {
    kind: 'Freigabe beendet',
    sentence: (_, telling) =>
      `Die ${telling.grant(telling.streamId)} von ${addonOf(telling)} ist beendet, mit allen ihren Token.`,
  },

  AddonRegistered: {
    kind: 'Add-on registriert',
    sentence: ({ name, allowedScopes }, telling) =>
      `${telling.addon(telling.streamId)} wurde als „${markName(name)}“ registriert und darf anfragen: ${listOf(allowedScopes, telling)}.`,
  },
  AddonSecretAdded: {
    kind: 'Client-Secret hinzugefügt',
    sentence: ({ secretId }, { addon, streamId }) =>
      `${addon(streamId)} hat das Client-Secret ${secretId} erhalten.`,
  },
  AddonSecretRemoved: {
    kind: 'Client-Secret entfernt',
    sentence: ({ secretId }, { addon, streamId }) =>
      `Das Client-Secret ${secretId} von ${addon(streamId)} ist nicht mehr gültig.`,
  },
  AddonAudienceAllowed: {
    kind: 'Anderer Server für ein Add-on erlaubt',
    sentence: ({ audience }, { addon, streamId }) =>
      `${addon(streamId)} darf jetzt Zugriff auf „${audience}“ anfragen.`,
  },
  AddonAudienceDisallowed: {
    kind: 'Anderer Server für ein Add-on nicht mehr erlaubt',
    sentence: ({ audience }, { addon, streamId }) =>
      `${addon(streamId)} darf keinen Zugriff auf „${audience}“ mehr anfragen; bestehende Freigaben ändern sich nicht.`,
  },
  AddonSuspended: {
    kind: 'Add-on gesperrt',
    sentence: (_, { addon, streamId }) =>
      `${addon(streamId)} wurde gesperrt: Alles, was es hat, wird abgelehnt, bis die Sperre aufgehoben ist.`,
  },
  AddonResumed: {
    kind: 'Sperre eines Add-ons aufgehoben',
    sentence: (_, { addon, streamId }) =>
      `Die Sperre von ${addon(streamId)} wurde aufgehoben: Was nicht beendet war, funktioniert wieder.`,
  },
  AddonUpdated: {
    kind: 'Add-on geändert',
    sentence: (data, telling) =>
      `${telling.addon(telling.streamId)} wurde geändert: ${changesIn(data, telling)}.`,
  },
  AddonPropertiesReplaced: {
    kind: 'Eigenschaften eines Add-ons ersetzt',
    sentence: ({ unset, audiences }, { addon, streamId }) => {
      const changes = [
        ...(unset.length === 0
          ? []
          : [`nicht mehr vorhanden: ${unset.map((field) => properties[field]).join(', ')}`]),
        ...(audiences === null
          ? []
          : [
              `es ist jetzt zuständig für ${audiences.join(' ') || 'keine Ressource'} und darf Token dafür prüfen`,
            ]),
      ];
      return `${addon(streamId)} wurde geändert: ${changes.join('; ')}.`;
    },
  },
  AddonRetired: {
    kind: 'Add-on endgültig entfernt',
    sentence: (_, { addon, streamId }) =>
      `${addon(streamId)} wurde endgültig entfernt: Alle seine Codes und Token sind beendet.`,
  },
  AddonVerificationSet: {
    kind: 'Prüfung eines Add-ons festgehalten',
    sentence: ({ verified }, { addon, streamId }) =>
      verified ? `${addon(streamId)} wurde geprüft.` : `${addon(streamId)} gilt nicht mehr als geprüft.`,
  },
  AddonPublisherSet: {
    kind: 'Anbieter eines Add-ons festgelegt',
    sentence: ({ publisherId }, { addon, streamId }) =>
      publisherId === null
        ? `${addon(streamId)} gehört zu keinem Anbieter mehr.`
        : `${addon(streamId)} gehört zum Anbieter ${publisherId}: Dessen Mitglieder kümmern sich darum.`,
  },
  AddonChangeRequested: {
    kind: 'Änderung eines Add-ons vorgeschlagen',
    sentence: (data, { addon, streamId }) =>
      `Die Änderung ${data.changeId} von ${addon(streamId)} wurde vorgeschlagen: ${proposedIn(data)}.`,
  },
  AddonChangeApproved: {
    kind: 'Änderung eines Add-ons genehmigt',
    sentence: ({ changeId }, { addon, streamId }) =>
      `Die Änderung ${changeId} von ${addon(streamId)} wurde genehmigt.`,
  },
  AddonChangeRefused: {
    kind: 'Änderung eines Add-ons abgelehnt',
    sentence: ({ changeId }, { addon, streamId }) =>
      `Die Änderung ${changeId} von ${addon(streamId)} wurde abgelehnt.`,
  },
  AddonChangeWithdrawn: {
    kind: 'Änderung eines Add-ons zurückgezogen',
    sentence: ({ changeId }, { addon, streamId }) =>
      `Die Änderung ${changeId} von ${addon(streamId)} wurde zurückgezogen.`,
  },

  AuditQueried: {
    kind: 'Protokoll durchsucht',
    sentence: ({ query, organizationId, parameters }, { organization, grant }) => {
      const asked = parameters.map(({ name, value }) =>
        name === 'grant' ? grant(value) : `${name} ${value}`,
      );
      return `Das Protokoll${organizationId === null ? '' : ` von ${organization(organizationId)}`} wurde durchsucht: ${[queries[query], ...asked].join(', ')}.`;
    },
  },

  OrganizationCreated: {
    kind: 'Organisation angelegt',
    sentence: ({ name }, { organization, streamId }) =>
      `${organization(streamId)} wurde als „${markName(name)}“ angelegt.`,
  },
  AdministratorAdded: {
    kind: 'Administrator hinzugefügt',
    sentence: ({ userId, source }, { user, organization, streamId }) =>
      `${user(userId)} verwaltet jetzt ${organization(streamId)}${byClaim(source)}.`,
  },
  AdministratorRemoved: {
    kind: 'Administrator entfernt',
    sentence: ({ userId, source }, { user, organization, streamId }) =>
      `${user(userId)} verwaltet ${organization(streamId)} nicht mehr${byClaim(source)}.`,
  },
  AuditorAdded: {
    kind: 'Zugang zum Protokoll gegeben',
    sentence: ({ userId }, { user, organization, streamId }) =>
      `${user(userId)} darf das Protokoll von ${organization(streamId)} lesen.`,
  },
  AuditorRemoved: {
    kind: 'Zugang zum Protokoll entzogen',
    sentence: ({ userId }, { user, organization, streamId }) =>
      `${user(userId)} darf das Protokoll von ${organization(streamId)} nicht mehr lesen.`,
  },
  OrganizationRenamed: {
    kind: 'Organisation umbenannt',
    sentence: ({ name }, { organization, streamId }) =>
      `${organization(streamId)} wurde in „${markName(name)}“ umbenannt.`,
  },
  OrganizationExternalIdSet: {
    kind: 'Externe Kennung festgelegt',
    sentence: ({ externalId }, { organization, streamId }) =>
      externalId === ''
        ? `Die externe Kennung von ${organization(streamId)} wurde entfernt.`
        : `Die externe Kennung von ${organization(streamId)} ist jetzt „${markName(externalId)}“.`,
  },
  OrganizationShownToPublishers: {
    kind: 'Sichtbarkeit für Anbieter geändert',
    sentence: ({ shown }, { organization, streamId }) =>
      shown
        ? `Anbieter sehen den Namen von ${organization(streamId)}, wenn dort eines ihrer Add-ons aktiviert ist.`
        : `Anbieter sehen den Namen von ${organization(streamId)} nicht mehr: Die Organisation wird nur gezählt.`,
  },
  OrganizationClosed: {
    kind: 'Organisation geschlossen',
    sentence: (_, { organization, streamId }) =>
      `${organization(streamId)} wurde geschlossen: Dort kann kein Add-on mehr aktiviert werden.`,
  },
  ExternalIdClaimed: {
    kind: 'Externe Kennung belegt',
    sentence: ({ organizationId }, { organization }) =>
      `Für ${organization(organizationId)} wurde eine externe Kennung belegt.`,
  },
  ExternalIdReleased: {
    kind: 'Externe Kennung freigegeben',
    sentence: ({ organizationId }, { organization }) =>
      `Eine frühere externe Kennung von ${organization(organizationId)} ist wieder frei.`,
  },

  AddonActivated: {
    kind: 'Add-on aktiviert',
    sentence: ({ organizationId, addonId, epoch }, { organization, addon }) =>
      `${addon(addonId)} wurde für ${organization(organizationId)} aktiviert (Aktivierung ${epoch}).`,
  },
  AddonDeactivated: {
    kind: 'Add-on deaktiviert',
    sentence: ({ organizationId, addonId, epoch }, { organization, addon }) =>
      `${addon(addonId)} wurde für ${organization(organizationId)} deaktiviert: Alles, was seit der Aktivierung ${epoch} erlaubt war, ist beendet.`,
  },
  RevocationCompleted: {
    kind: 'Alle Freigaben als beendet verzeichnet',
    sentence: ({ epoch, grants }, telling) => {
      const { addon, organization } = both(telling);
      return `Alle Freigaben von ${addon} für ${organization} aus der Aktivierung ${epoch} sind als beendet verzeichnet: ${grants}.`;
    },
  },
  AuthorizationRefused: {
    kind: 'Zugriff abgelehnt',
    sentence: ({ userId }, telling) => {
      const { addon, organization } = both(telling);
      return `${telling.user(userId)} wurde zu ${addon} zurückgeschickt, ohne Zugriff auf ${organization}.`;
    },
  },

  AccountCreated: {
    kind: 'Konto angelegt',
    sentence: (data, { user, streamId }) =>
      `Das Konto von ${user(streamId)} wurde angelegt${data.roles.length > 0 ? `, mit der Rolle ${data.roles.map((role) => roles[role]).join(' und ')}` : ''}.`,
  },
  PasswordSet: {
    kind: 'Passwort gesetzt',
    sentence: ({ ended }, { user, streamId }) =>
      `Das Passwort von ${user(streamId)} wurde gesetzt${ended === null ? '' : `; frühere Sitzungen und Administrator-Token sind beendet${except(ended.exceptSession)}`}.`,
  },
  PasswordLinkIssued: {
    kind: 'Link für ein Passwort erstellt',
    sentence: ({ purpose, expiresAt }, { user, streamId, time }) =>
      `Es wurde ein Link erstellt, über den ${user(streamId)} ein Passwort wählt (${purpose === 'invitation' ? 'Einladung' : 'neues Passwort'}), gültig bis ${time(expiresAt)}.`,
  },
  AccountDisabled: {
    kind: 'Konto deaktiviert',
    sentence: (_, { user, streamId }) =>
      `Das Konto von ${user(streamId)} wurde deaktiviert: Alle Freigaben der eigenen Daten sind beendet.`,
  },
  AccountEnabled: {
    kind: 'Konto wieder aktiviert',
    sentence: (_, { user, streamId }) =>
      `Das Konto von ${user(streamId)} wurde wieder aktiviert; was beendet war, bleibt beendet.`,
  },
  SessionsEnded: {
    kind: 'Alle Sitzungen beendet',
    sentence: ({ exceptSession }, { user, streamId }) =>
      `Alle Sitzungen von ${user(streamId)} wurden beendet${except(exceptSession)}.`,
  },
  PasswordLinkNotMailed: {
    kind: 'Link nicht gesendet',
    sentence: (_, { user, streamId }) =>
      `Kein Mailserver hat den Link angenommen, mit dem ${user(streamId)} ein Passwort wählt.`,
  },
  AccountErased: {
    kind: 'Konto gelöscht',
    sentence: (_, { user, streamId }) =>
      `${user(streamId)} wurde gelöscht: Der Schlüssel der Daten dieser Person im Protokoll ist vernichtet.`,
  },
  SignInBlocked: {
    kind: 'Anmeldung gebremst',
    sentence: ({ failures, until }, { user, streamId, time }) =>
      `Nach ${count(failures, { one: 'falschen Passwort', other: 'falschen Passwörtern' })} mussten Anmeldungen von ${user(streamId)} bis ${time(until)} warten.`,
  },
  SignInUnblocked: {
    kind: 'Anmeldung wieder freigegeben',
    sentence: (_, { user, streamId }) =>
      `Die fehlgeschlagenen Anmeldungen von ${user(streamId)} wurden zurückgesetzt.`,
  },
  AccountRenamed: {
    kind: 'Name geändert',
    sentence: (_, { user, streamId }) => `Der Name von ${user(streamId)} wurde geändert.`,
  },
  PreferencesChosen: {
    kind: 'Sprache und Zeitzone gewählt',
    sentence: (_, { user, streamId }) => `${user(streamId)} hat Sprache und Zeitzone gewählt.`,
  },
  AccountEmailChanged: {
    kind: 'E-Mail-Adresse geändert',
    sentence: ({ emailVouchedBy }, { user, streamId }) =>
      emailVouchedBy === 'nobody'
        ? `Die E-Mail-Adresse von ${user(streamId)} wurde in eine nicht bestätigte geändert.`
        : `Die E-Mail-Adresse von ${user(streamId)} wurde geändert.`,
  },
  RoleGranted: {
    kind: 'Rolle gegeben',
    sentence: ({ role, source }, { user, streamId }) =>
      `${user(streamId)} hat jetzt die Rolle ${roles[role]}${byClaim(source)}.`,
  },
  RoleRemoved: {
    kind: 'Rolle entzogen',
    sentence: ({ role, source }, { user, streamId }) =>
      `${user(streamId)} hat die Rolle ${roles[role]} nicht mehr${byClaim(source)}.`,
  },
  IdentityLinked: {
    kind: 'Anmelde-Anbieter verknüpft',
    sentence: ({ provider }, { user, streamId }) =>
      `Eine Identität des Anmelde-Anbieters „${markName(provider)}“ wurde mit dem Konto von ${user(streamId)} verknüpft.`,
  },
  IdentityUnlinked: {
    kind: 'Anmelde-Anbieter getrennt',
    sentence: ({ provider }, { user, streamId }) =>
      `Eine Identität des Anmelde-Anbieters „${markName(provider)}“ öffnet das Konto von ${user(streamId)} nicht mehr; alle Sitzungen sind beendet.`,
  },
  PasskeyAdded: {
    kind: 'Passkey hinzugefügt',
    sentence: ({ passkeyId }, { user, streamId }) =>
      `${user(streamId)} hat den Passkey ${passkeyId} hinzugefügt.`,
  },
  PasskeyRenamed: {
    kind: 'Passkey umbenannt',
    sentence: ({ passkeyId }, { user, streamId }) =>
      `Der Passkey ${passkeyId} von ${user(streamId)} hat einen anderen Namen.`,
  },
  PasskeyRemoved: {
    kind: 'Passkey entfernt',
    sentence: ({ passkeyId, exceptSession }, { user, streamId }) =>
      `Der Passkey ${passkeyId} von ${user(streamId)} wurde entfernt; Sitzungen, die mit ihm begonnen haben, sind beendet${except(exceptSession)}.`,
  },
  OrganizationsMapped: {
    kind: 'Organisationen laut Anmelde-Anbieter',
    sentence: ({ organizationIds, signedOut }, { user, organization, streamId }) => {
      if (signedOut)
        return `${user(streamId)} hat sich beim Anmelde-Anbieter abgemeldet: Bis zur nächsten Anmeldung haben Administrator-Token keine Rechte von dort.`;
      return organizationIds.length === 0
        ? `Der Anmelde-Anbieter nennt keine Organisation, die ${user(streamId)} verwaltet.`
        : `Der Anmelde-Anbieter nennt die Organisationen, die ${user(streamId)} verwaltet: ${organizationIds.map(organization).join(', ')}.`;
    },
  },
  PublishersMapped: {
    kind: 'Anbieter laut Anmelde-Anbieter',
    sentence: ({ publisherIds }, { user, streamId }) =>
      publisherIds.length === 0
        ? `Der Anmelde-Anbieter nennt keinen Anbieter, bei dem ${user(streamId)} Mitglied ist.`
        : `Der Anmelde-Anbieter nennt die Anbieter, bei denen ${user(streamId)} Mitglied ist: ${publisherIds.join(', ')}.`,
  },
  EmailClaimed: {
    kind: 'E-Mail-Adresse belegt',
    sentence: ({ userId }, { user }) => `Für ${user(userId)} wurde eine E-Mail-Adresse belegt.`,
  },
  EmailReleased: {
    kind: 'E-Mail-Adresse freigegeben',
    sentence: ({ userId }, { user }) => `Die E-Mail-Adresse von ${user(userId)} ist wieder frei.`,
  },
  IdentityClaimed: {
    kind: 'Identität belegt',
    sentence: ({ userId }, { user }) =>
      `Für ${user(userId)} wurde eine Identität eines Anmelde-Anbieters belegt.`,
  },
  IdentityReleased: {
    kind: 'Identität freigegeben',
    sentence: ({ userId }, { user }) =>
      `Die Identität von ${user(userId)} bei einem Anmelde-Anbieter ist wieder frei.`,
  },
  OperatorRemovalAllowed: {
    kind: 'Ende einer Rolle im Betrieb erlaubt',
    sentence: ({ userId, remaining }, { user }) =>
      `${user(userId)} darf die Rolle Betrieb abgeben, weil ${user(remaining)} sie behält.`,
  },
  AdministratorTokenIssued: {
    kind: 'Administrator-Token erstellt',
    sentence: ({ tokenId, organizationId, expiresAt }, { user, organization, streamId, time }) =>
      `${user(streamId)} hat das Administrator-Token ${tokenId} erhalten, für ${organizationId === null ? 'alle Organisationen dieser Person' : organization(organizationId)}, gültig bis ${time(expiresAt)}.`,
  },
  AdministratorTokenRevoked: {
    kind: 'Administrator-Token widerrufen',
    sentence: ({ tokenId }, { user, streamId }) =>
      `Das Administrator-Token ${tokenId} von ${user(streamId)} wurde widerrufen.`,
  },

  PublisherMemberAdded: {
    kind: 'Mitglied eines Anbieters hinzugefügt',
    sentence: ({ userId, source }, { user, streamId }) =>
      `${user(userId)} ist jetzt Mitglied des Anbieters ${streamId}${byClaim(source)}.`,
  },
  PublisherMemberRemoved: {
    kind: 'Mitglied eines Anbieters entfernt',
    sentence: ({ userId, source }, { user, streamId }) =>
      `${user(userId)} ist nicht mehr Mitglied des Anbieters ${streamId}${byClaim(source)}.`,
  },

  DeadLetterResent: {
    kind: 'Nicht verarbeitete Nachricht erneut gesendet',
    sentence: (data) =>
      `Die nicht verarbeitete Nachricht ${letter(data)} wurde erneut an ${data.to} gesendet.`,
  },
  DeadLetterShown: {
    kind: 'Nicht verarbeitete Nachricht angezeigt',
    sentence: (data) => `Der Inhalt der nicht verarbeiteten Nachricht ${letter(data)} wurde angezeigt.`,
  },
  ExpiredMessagesConfirmed: {
    kind: 'Import nach abgelaufenen Nachrichten bestätigt',
    sentence: ({ records }) =>
      `Bestätigt wurde, dass ein Abzug von ${records} importiert ist, nachdem Nachrichten ungelesen abgelaufen waren.`,
  },

  SessionStarted: {
    kind: 'Angemeldet',
    sentence: ({ sessionId, userId, expiresAt, upstream, passkey }, { user, time }) =>
      `${user(userId)} hat sich angemeldet${upstream ? `, über den Anbieter ${upstream.provider}` : ''}${passkey ? `, mit dem Passkey ${passkey.passkeyId}` : ''}: Sitzung ${sessionId}, höchstens bis ${time(expiresAt)}.`,
  },
  ActivationHandedOff: {
    kind: 'Nach der Aktivierung weitergeleitet',
    sentence: ({ organizationId, addonId }, telling) =>
      `${sessionUser(telling)} hat ${telling.addon(addonId)} für ${telling.organization(organizationId)} aktiviert und wurde dorthin weitergeleitet (Sitzung ${telling.streamId}).`,
  },
  SessionEnded: {
    kind: 'Abgemeldet',
    sentence: (_, telling) => `${sessionUser(telling)} hat sich abgemeldet: Sitzung ${telling.streamId}.`,
  },

  SignalStreamCreated: {
    kind: 'Signalstrom angelegt',
    sentence: ({ streamId, addonId, method, endpointUrl }, { addon }) =>
      `${addon(addonId)} wird über den Signalstrom ${streamId} benachrichtigt, wenn sich sein Zugriff ändert, ${delivery(method, endpointUrl)}.`,
  },
  SignalStreamChanged: {
    kind: 'Signalstrom geändert',
    sentence: ({ streamId, method, endpointUrl }, { addon, streamId: addonId }) =>
      `Der Signalstrom ${streamId} von ${addon(addonId)} wurde geändert; er arbeitet ${delivery(method, endpointUrl)}.`,
  },
  SignalStreamStatusChanged: {
    kind: 'Zustand eines Signalstroms geändert',
    sentence: ({ streamId, status, reason, by }, { addon, streamId: addonId }) =>
      `Der Signalstrom ${streamId} von ${addon(addonId)} ist ${statuses[status]}; das hat ${by === 'receiver' ? 'das Add-on verlangt' : 'Grantbook oder der Betreiber entschieden'}${reason === null ? '' : `: ${markName(reason)}`}.`,
  },
  SignalStreamReplayed: {
    kind: 'Signale noch einmal angeboten',
    sentence: ({ streamId, after }, { addon, streamId: addonId }) =>
      `Die Nachrichten des Signalstroms ${streamId} von ${addon(addonId)} nach ${after} werden noch einmal angeboten.`,
  },
  SignalStreamDeleted: {
    kind: 'Signalstrom gelöscht',
    sentence: ({ streamId }, { addon, streamId: addonId }) =>
      `Der Signalstrom ${streamId} von ${addon(addonId)} wurde gelöscht.`,
  },
};
