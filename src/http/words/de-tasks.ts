import type { TaskWords } from './kinds.ts';

const stay = 'Freigaben und Token bleiben.';
const allStay = 'Sitzungen, Freigaben und Token bleiben.';
const once = 'Der Link funktioniert einmal, innerhalb von 24 Stunden.';

/** What a list of an answer has, counted. */
const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

type Identity = { readonly provider: string; readonly subject: string };

/** Who else can use a link that was made for an account. */
const linked = (identities: unknown): string =>
  lengthOf(identities) === 0
    ? ''
    : ` Auch wer eine dieser verknüpften Identitäten hat, meldet sich an dem Konto an: ${(
        identities as readonly Identity[]
      )
        .map(({ provider, subject }) => `${provider} „${subject}“`)
        .join(', ')}.`;

const linkMade = ({ mailed, identities }: Readonly<Record<string, unknown>>): string =>
  `${once} ${mailed === true ? 'Er wurde per E-Mail gesendet.' : mailed === false ? 'Die E-Mail wurde nicht gesendet. Geben Sie ihn der Person selbst.' : 'Geben Sie ihn der Person selbst.'}${linked(identities)}`;

const activeIn = (all: number, hidden: number): string => {
  if (all === 0)
    return 'Noch in keiner Organisation aktiv. Aktiviert wird es von der Administration einer Organisation auf deren Seite.';
  const organizations = `${all === 1 ? 'Eine Organisation' : `${all} Organisationen`}`;
  return hidden === 0 ? `${organizations}.` : `${organizations}, davon ${hidden} ohne Angabe des Namens.`;
};

const inClear = (remains: unknown): string => {
  const { events_in_clear: count } = remains as { readonly events_in_clear: number };
  return count === 0
    ? ''
    : ` Nicht gelöscht sind unverschlüsselte Ereignisse aus der Zeit vor der Verschlüsselung: ${count}.`;
};

/** What German has for the table of tasks, which is in English. */
export const germanTasks: TaskWords = {
  texts: {
    // what they are called
    organization: 'Organisation',
    user: 'Konto',
    addon: 'Add-on',
    'add-on': 'Add-on',
    publisher: 'Anbieter',
    grant: 'Freigabe',
    'signal stream': 'Signalstrom',
    'kind of records': 'Art von Datensätzen',

    // columns and fields
    'Add addresses after a sign-out': 'Adressen nach dem Abmelden hinzufügen',
    'Add redirect URIs': 'Redirect-URIs hinzufügen',
    'Add resources': 'Ressourcen hinzufügen',
    'Add-on': 'Add-on',
    'Add-ons': 'Add-ons',
    Added: 'Hinzugefügt',
    'Addresses after a sign-out': 'Adressen nach dem Abmelden',
    'Administrator of': 'Administrator von',
    Administrators: 'Administratoren',
    After: 'Nach',
    'Algorithm of id_tokens': 'Algorithmus der id_tokens',
    'Allowed by': 'Erlaubt von',
    'Apply to grants': 'Auf Freigaben anwenden',
    Auditor: 'Auditor',
    'Auditor of': 'Auditor von',
    'Authorization header': 'Authorization-Header',
    By: 'Von',
    Change: 'Änderung',
    Confidential: 'Vertraulich',
    'Configuration URL': 'Konfigurationsadresse',
    Days: 'Tage',
    Deactivated: 'Deaktiviert',
    Device: 'Gerät',
    'E-mail': 'E-Mail',
    'E-mail address': 'E-Mail-Adresse',
    'Endpoint URL': 'Adresse des Endpunkts',
    Epoch: 'Epoche',
    Event: 'Ereignis',
    Expires: 'Läuft ab',
    'External id': 'Externe Kennung',
    'Failing since': 'Gestört seit',
    Force: 'Trotzdem',
    Grant: 'Freigabe',
    'Grant types': 'Grant-Types',
    Grants: 'Freigaben',
    Issued: 'Erteilt',
    'Last error': 'Letzter Fehler',
    'Last read': 'Zuletzt gelesen',
    'Last seen': 'Zuletzt gesehen',
    'Last token': 'Letztes Token',
    Logo: 'Logo',
    Made: 'Erstellt',
    'Made by': 'Erstellt von',
    'Made with': 'Erstellt mit',
    Members: 'Mitglieder',
    Method: 'Verfahren',
    Name: 'Name',
    Network: 'Netz',
    Operator: 'Betreiber',
    Organization: 'Organisation',
    Passkey: 'Passkey',
    Password: 'Passwort',
    'Privacy statement': 'Datenschutzerklärung',
    Profile: 'Profil',
    Proposed: 'Vorgeschlagen',
    Provider: 'Identitätsanbieter',
    'Provider rights until': 'Rechte per Claim bis',
    Publisher: 'Anbieter',
    'Publisher whose members look after it': 'Anbieter, dessen Mitglieder es betreuen',
    Reason: 'Grund',
    Records: 'Datensätze',
    'Records changed': 'Geänderte Datensätze',
    'Redirect URIs': 'Redirect-URIs',
    'Remove addresses after a sign-out': 'Adressen nach dem Abmelden entfernen',
    'Remove redirect URIs': 'Redirect-URIs entfernen',
    'Remove resources': 'Ressourcen entfernen',
    'Resource server': 'Ressourcenserver',
    Resources: 'Ressourcen',
    Retired: 'Endgültig beendet',
    Role: 'Rolle',
    Roles: 'Rollen',
    Scopes: 'Scopes',
    Search: 'Suche',
    Sort: 'Reihenfolge',
    Secret: 'Client-Secret',
    Session: 'Sitzung',
    'Shown to publishers': 'Für Anbieter sichtbar',
    'Signal stream': 'Signalstrom',
    Since: 'Seit',
    State: 'Status',
    Status: 'Status',
    Subject: 'Kennung dort (sub)',
    Support: 'Hilfe',
    Suspended: 'Gesperrt',
    Token: 'Token',
    'Unused for': 'Ungenutzt seit',
    User: 'Konto',
    Verified: 'Bestätigt',
    Waiting: 'Wartend',
    'Waiting changes': 'Wartende Änderungen',
    Website: 'Website',
    'whether people who approve read that the platform has checked it':
      'ob Menschen, die Zugriff erlauben, lesen, dass die Plattform es geprüft hat',

    // tasks, what they do to grants and tokens
    'Activate an add-on for an organization': 'Add-on für eine Organisation aktivieren',
    'Add an administrator': 'Administrator hinzufügen',
    'Approve a change that the publisher proposed': 'Vorgeschlagene Änderung des Anbieters genehmigen',
    'Change the add-on': 'Add-on ändern',
    'Change the e-mail address': 'E-Mail-Adresse ändern',
    'Change the name': 'Name ändern',
    'Create a publisher and print its publisher_id': 'Anbieter anlegen',
    'Create a signal stream for an add-on': 'Signalstrom für ein Add-on anlegen',
    'Create a token of the user for a program, which is shown once':
      'Token des Kontos für ein Programm erstellen, das einmal gezeigt wird',
    'Create an account': 'Konto anlegen',
    'Create an account, and a link by which the person chooses the password':
      'Konto anlegen, mit einem Link, über den die Person das Passwort wählt',
    'Create an additional client_secret, which is shown once; existing ones stay valid':
      'Weiteres Client-Secret erstellen, das einmal gezeigt wird; vorhandene bleiben gültig',
    'Create an organization': 'Organisation anlegen',
    'Deactivate an add-on: revokes all its tokens for the organization':
      'Add-on deaktivieren: Alle seine Token für die Organisation werden widerrufen',
    'Delete the signal stream': 'Signalstrom löschen',
    'Disable the account': 'Konto deaktivieren',
    'Enable the account': 'Konto wieder zulassen',
    'End all sessions': 'Alle Sitzungen beenden',
    "Erase a person's account permanently: their personal data in the log can no longer be decrypted":
      'Konto einer Person endgültig löschen: Ihre personenbezogenen Daten im Ereignisprotokoll können nicht mehr entschlüsselt werden',
    "Erase a person's profile permanently: their personal data in the log can no longer be decrypted":
      'Profil einer Person endgültig löschen: Ihre personenbezogenen Daten im Ereignisprotokoll können nicht mehr entschlüsselt werden',
    'Give a role': 'Rolle geben',
    'Let an auditor read the audit log': 'Auditor das Protokoll lesen lassen',
    'Lift the suspension': 'Sperre aufheben',
    'Link an identity': 'Identität verknüpfen',
    'Make a link by which the user chooses another password':
      'Link erstellen, über den ein anderes Passwort gewählt wird',
    'Offer signals again': 'Signale noch einmal anbieten',
    'Pause the signal stream': 'Signalstrom anhalten',
    'Confirm that a snapshot was imported': 'Bestätigen, dass ein Abzug importiert ist',
    'Permanently close the organization': 'Organisation endgültig schließen',
    'Missing messages': 'Fehlende Nachrichten',
    'Permanently end the add-on': 'Add-on endgültig beenden',
    'Refuse a change that the publisher proposed': 'Vorgeschlagene Änderung des Anbieters ablehnen',
    'Register an add-on': 'Add-on registrieren',
    'Remove a client_secret; the last one cannot be removed':
      'Client-Secret entfernen; das letzte kann nicht entfernt werden',
    'Remove a passkey': 'Passkey entfernen',
    'Remove a role': 'Rolle entfernen',
    'Remove an administrator': 'Administrator entfernen',
    'Remove an auditor': 'Auditor entfernen',
    'Reset the counters of failed sign-ins of the account':
      'Zähler der fehlgeschlagenen Anmeldungen zurücksetzen',
    'Resume the signal stream': 'Signalstrom fortsetzen',
    'Revoke a token of the user at once': 'Token des Kontos sofort widerrufen',
    'Revoke the grant': 'Freigabe widerrufen',
    'Send a verification event': 'Prüfereignis senden',
    'Set a password': 'Passwort setzen',
    'Set the external id': 'Externe Kennung setzen',
    'Set whether publishers of its add-ons see its name':
      'Festlegen, ob die Anbieter ihrer Add-ons ihren Namen sehen',
    'Show a change that the publisher proposed, whole':
      'Vorgeschlagene Änderung des Anbieters vollständig zeigen',
    'Proposed by': 'Vorgeschlagen von',
    'Approved by': 'Genehmigt von',
    'Refused by': 'Abgelehnt von',
    'What changes': 'Was sich ändert',
    Revision: 'Stand',
    'the revision of the change, as it was shown': 'der Stand der Änderung (revision), wie er gezeigt wurde',
    'Show the activation of an add-on': 'Aktivierung eines Add-ons zeigen',
    'Suspend the add-on': 'Add-on sperren',
    'Unlink an identity': 'Verknüpfung einer Identität entfernen',

    'A removed redirect URI or scope is refused immediately, also in flows that have already begun. Grants keep what they have; if the change is applied to grants, those that hold a removed scope are revoked.':
      'Eine entfernte Redirect-URI und ein entfernter Scope werden sofort abgelehnt, auch in Abläufen, die schon begonnen haben. Freigaben behalten, was sie haben; wird die Änderung auf Freigaben angewendet, werden die mit einem entfernten Scope widerrufen.',
    'Administrator tokens of the user for this organization stop working immediately. Grants that the user approved belong to the organization and stay.':
      'Administrator-Token des Kontos für diese Organisation sind sofort ungültig. Freigaben, die die Person erteilt hat, gehören der Organisation und bleiben.',
    'Grants and tokens stay. The messages that expired unread are no longer reported as missing.':
      'Freigaben und Token bleiben. Die ungelesen abgelaufenen Nachrichten werden nicht mehr als fehlend gemeldet.',
    'All its codes and tokens stop working immediately. It is deactivated for every organization, and grants of users’ own records are revoked.':
      'Alle seine Codes und Token sind sofort ungültig. Es wird für jede Organisation deaktiviert, und Freigaben für eigene Daten von Personen werden widerrufen.',
    'All its tokens are refused until it is resumed.':
      'Alle seine Token werden abgelehnt, bis die Sperre aufgehoben wird.',
    'Ends all sessions and administrator tokens of the user. Passkeys and grants stay.':
      'Beendet alle Sitzungen und Administrator-Token des Kontos. Passkeys und Freigaben bleiben.',
    'Ends every session and administrator token of the user and every grant of their own records. Grants of organizations stay. The last operator is not disabled without force.':
      'Beendet alle Sitzungen und Administrator-Token des Kontos und alle Freigaben für die eigenen Daten der Person. Freigaben von Organisationen bleiben. Der letzte Betreiber wird nur mit „Trotzdem“ deaktiviert.',
    'Every add-on is deactivated: its codes and tokens for the organization stop working immediately. No add-on can be activated any more. Users’ own grants and the history stay.':
      'Jedes Add-on wird deaktiviert: Seine Codes und Token für die Organisation sind sofort ungültig. Kein Add-on kann mehr aktiviert werden. Freigaben für eigene Daten von Personen und der Verlauf bleiben.',
    'Every code and token of the add-on for the organization is refused once the command has returned. Users’ own grants stay.':
      'Sobald die Aufgabe erledigt ist, wird jeder Code und jedes Token des Add-ons für die Organisation abgelehnt. Freigaben für eigene Daten von Personen bleiben.',
    'Every session and administrator token of the user and every grant of their own records ends. Grants of organizations stay.':
      'Alle Sitzungen und Administrator-Token des Kontos und alle Freigaben für die eigenen Daten der Person enden. Freigaben von Organisationen bleiben.',
    'Every session of the user ends, on every instance. Administrator tokens and grants stay.':
      'Alle Sitzungen des Kontos enden, auf jeder Instanz. Administrator-Token und Freigaben bleiben.',
    'Grants and tokens stay.': stay,
    'Grants and tokens stay. Everything that is kept and came after the position is offered once more, with the same ids.': `${stay} Alles, was aufbewahrt ist und nach der Position kam, wird noch einmal angeboten, mit denselben Kennungen.`,
    'Grants and tokens stay. From now on the add-on is notified of changes of its access: by its polls, or by pushes to the endpoint.': `${stay} Von jetzt an wird das Add-on benachrichtigt, wenn sich sein Zugriff ändert: wenn es abfragt (Poll) oder durch Push an den Endpunkt.`,
    'Grants and tokens stay. From now on, claims of the identity provider find the organization by this id, and no longer by the one before.': `${stay} Von jetzt an finden Claims des Identitätsanbieters die Organisation unter dieser Kennung und nicht mehr unter der vorigen.`,
    'Grants and tokens stay. Nothing is delivered until it is resumed; what happens meanwhile waits.': `${stay} Bis er fortgesetzt wird, wird nichts zugestellt; was inzwischen geschieht, wartet.`,
    'Grants and tokens stay. Publishers that do not see the name see how many such organizations there are.': `${stay} Anbieter, die den Namen nicht sehen, sehen, wie viele solche Organisationen es gibt.`,
    'Grants and tokens stay. The receiver gets a verification event, which says nothing else.': `${stay} Der Empfänger erhält ein Prüfereignis, das sonst nichts sagt.`,
    'Grants and tokens stay. Undelivered messages are deleted, and the add-on is not notified of anything until it has another stream.': `${stay} Nicht zugestellte Nachrichten werden gelöscht, und das Add-on wird erst wieder benachrichtigt, wenn es einen anderen Signalstrom hat.`,
    'Grants and tokens stay. What waits is delivered, in order, and the add-on is notified that the stream is enabled again.': `${stay} Was wartet, wird der Reihe nach zugestellt, und das Add-on wird benachrichtigt, dass der Signalstrom wieder läuft.`,
    'Identities of the provider no longer open the account: every session of the user and every role by claim ends. Grants stay.':
      'Identitäten des Identitätsanbieters öffnen das Konto nicht mehr: Alle Sitzungen des Kontos und alle Rollen per Claim enden. Freigaben bleiben.',
    'It applies immediately, also to sign-ins with a linked identity. An auditor also needs organizations: see add-auditor.':
      'Sie gilt sofort, auch bei der Anmeldung mit einer verknüpften Identität. Ein Auditor braucht außerdem Organisationen: Fügen Sie ihn dort als Auditor hinzu.',
    'It has no administrators and no add-ons yet.': 'Sie hat noch keine Administratoren und keine Add-ons.',
    'It has no members and no add-ons yet.': 'Er hat noch keine Mitglieder und keine Add-ons.',
    'It stops working immediately, and every session that began with it ends. Other sessions, grants and tokens stay.':
      'Er ist sofort ungültig, und alle Sitzungen, die mit ihm begonnen haben, enden. Andere Sitzungen, Freigaben und Token bleiben.',
    'It takes effect like a change by an operator: a removed redirect URI is refused immediately. Grants stay. Nobody approves what they proposed, themselves or with a token that they made.':
      'Sie wirkt wie eine Änderung durch den Betrieb: Eine entfernte Redirect-URI wird sofort abgelehnt. Freigaben bleiben. Niemand genehmigt, was er vorgeschlagen hat, selbst oder mit einem Token, das er erstellt hat.',
    'Its add-ons show the new name. Grants and tokens stay.': `Seine Add-ons zeigen den neuen Namen. ${stay}`,
    'Its code and its tokens stop working immediately, on every instance.':
      'Ihr Code und ihre Token sind sofort ungültig, auf jeder Instanz.',
    'Its tokens that have not expired work again.': 'Seine Token, die nicht abgelaufen sind, gelten wieder.',
    'No token is affected.': 'Kein Token ist betroffen.',
    'No token is affected. The link works once, within 24 hours. The same invitation again replaces a link that nobody has used.': `Kein Token ist betroffen. ${once} Dieselbe Einladung noch einmal ersetzt einen Link, den niemand verwendet hat.`,
    'Nobody has granted it anything yet.': 'Noch hat ihm niemand Zugriff erlaubt.',
    'None: grants of earlier activations stay ended.':
      'Keine Wirkung auf Freigaben: Die aus früheren Aktivierungen bleiben beendet.',
    'Nothing changes. The publisher sees the reason.': 'Es ändert sich nichts. Der Anbieter sieht den Grund.',
    'Nothing ends until the link is used; then all sessions and administrator tokens of the user do. Passkeys stay. The link works once, within 24 hours. It replaces an older link.': `Bis der Link verwendet wird, endet nichts, dann alle Sitzungen und Administrator-Token des Kontos. Passkeys bleiben. ${once} Er ersetzt einen älteren Link.`,
    'Sessions and administrator tokens of the user can no longer use the role; administrator tokens for the organization are revoked. Grants of the organization stay.':
      'Sitzungen und Administrator-Token des Kontos können die Rolle nicht mehr nutzen; Administrator-Token für die Organisation werden widerrufen. Freigaben der Organisation bleiben.',
    'Sessions, grants and tokens stay. From now on this identity of the provider opens the account.': `${allStay} Von jetzt an öffnet diese Identität des Identitätsanbieters das Konto.`,
    'Sessions, grants and tokens stay. If the identity provider names the user, the next sign-in changes it back.': `${allStay} Wenn der Identitätsanbieter den Namen angibt, ändert ihn die nächste Anmeldung zurück.`,
    'Sessions, grants and tokens stay. The user signs in with the new address from now on; the old one is free, and links that were mailed to it no longer work.': `${allStay} Von jetzt an meldet sich die Person mit der neuen Adresse an; die alte ist frei, und Links, die an sie gesendet wurden, sind ungültig.`,
    'The administrator token stops working immediately. Grants of add-ons stay.':
      'Das Administrator-Token ist sofort ungültig. Freigaben von Add-ons bleiben.',
    'The secret is refused within 5 seconds, and tokens that the add-on took for itself with it end. Grants stay.':
      'Das Client-Secret wird innerhalb von 5 Sekunden abgelehnt, und Token, die das Add-on damit für sich selbst geholt hat, enden. Freigaben bleiben.',
    'The user and their tokens cannot read the audit log of the organization any more. Grants of add-ons stay.':
      'Die Person und ihre Token können das Protokoll der Organisation nicht mehr lesen. Freigaben von Add-ons bleiben.',
    'The user may sign in again. What ended stays ended.':
      'Die Person kann sich wieder anmelden. Was beendet wurde, bleibt beendet.',

    // below fields
    'a PNG, JPEG or WebP file of at most 64 kB': 'eine PNG-, JPEG- oder WebP-Datei von höchstens 64 kB',
    'a whole e-mail address, or starts of words of the name':
      'eine ganze E-Mail-Adresse oder Anfänge von Wörtern des Namens',
    'what it is sorted by; with - in front from the end': 'wonach sortiert wird; mit - davor vom Ende her',
    'the next of an answer with the same sort': 'das next einer Antwort mit demselben sort',
    'add-ons of this publisher': 'Add-ons dieses Anbieters',
    'add-ons with a change that waits for an operator':
      'Add-ons mit einer Änderung, die auf eine Entscheidung des Betriebs wartet',
    'add-ons with these starts of words in the name, or with this client_id':
      'Add-ons mit diesen Anfängen von Wörtern im Namen oder mit dieser client_id',
    'also a name that looks like that of another add-on':
      'auch ein Name, der wie der eines anderen Add-ons aussieht',
    'also the last administrator': 'auch den letzten Administrator',
    'also the last operator, or the last administrator of the organization':
      'auch dem letzten Betreiber oder dem letzten Administrator der Organisation',
    'also the last operator, or yourself': 'auch den letzten Betreiber oder sich selbst',
    'change_id, as the list has it': 'change_id, wie sie in der Liste steht',
    'client_id of the add-on': 'client_id des Add-ons',
    'e-mail address for signing in': 'E-Mail-Adresse für die Anmeldung',
    'existing grants do not change': 'vorhandene Freigaben ändern sich nicht',
    'grants in this state': 'Freigaben mit diesem Status',
    'grants of this add-on': 'Freigaben dieses Add-ons',
    'grants that this user approved, including those for organizations':
      'Freigaben, die diese Person erteilt hat, auch die für Organisationen',
    'grants that were not used for this long, such as 90d or 12h':
      'Freigaben, die so lange nicht genutzt wurden, zum Beispiel 90d oder 12h',
    'grants to the records of this organization': 'Freigaben für die Daten dieser Organisation',
    'how its id_tokens are signed (default: RS256)': 'wie seine id_tokens signiert werden (sonst RS256)',
    'https address': 'https-Adresse',
    'id of the identity provider': 'Kennung des Identitätsanbieters',
    'it only introspects tokens: confidential, without redirect URIs, scopes and grant types':
      'es prüft nur Token (Introspection): vertraulich, ohne Redirect-URIs, Scopes und Grant-Types',
    'limit the token to this organization (default: all of the user)':
      'das Token auf diese Organisation beschränken (sonst alle der Person)',
    'may read the audit log of each organization of auditor_of':
      'darf das Protokoll jeder Organisation unter „Auditor von“ lesen',
    'may see the operator pages': 'darf die Seiten des Betriebs sehen',
    'name of the person': 'Name der Person',
    'name of the program that uses it': 'Name des Programms, das es verwendet',
    'name that its administrators see': 'Name, den ihre Administratoren sehen',
    'name that users see when they approve': 'Name, den man beim Erlauben sieht',
    'name that users see with its add-ons': 'Name, den man bei seinen Add-ons sieht',
    'no code is sent there any more': 'dorthin wird kein Code mehr gesendet',
    'no longer from there': 'dorthin führt das Abmelden nicht mehr',
    'organization_id of an organization to administer':
      'organization_id einer Organisation, die sie verwaltet',
    'organization_id of an organization whose audit log to read; needs auditor':
      'organization_id einer Organisation, deren Protokoll sie liest; braucht „Auditor“',
    'organization_id, for the role administrator': 'organization_id, für die Rolle Administrator',
    'organizations with these starts of words in the name, or with this organization_id or external_id':
      'Organisationen mit diesen Anfängen von Wörtern im Namen oder mit dieser organization_id oder external_id',
    'other addresses that codes may be sent to': 'weitere Adressen, an die Codes gesendet werden dürfen',
    'passkey_id of a passkey of the user': 'passkey_id eines Passkeys des Kontos',
    'position of the event before the first one that is offered again: commit/prepare':
      'Position des Ereignisses vor dem ersten, das noch einmal angeboten wird: commit/prepare',
    'publisher_id of the publisher that the person works for':
      'publisher_id des Anbieters, für den die Person arbeitet',
    'publisher_id, for the role publisher': 'publisher_id, für die Rolle Anbieter',
    'publisher_id; from then on it shows the name of this publisher':
      'publisher_id; von da an zeigt es den Namen dieses Anbieters',
    'publishers with these starts of words in the name, or with this publisher_id':
      'Anbieter mit diesen Anfängen von Wörtern im Namen oder mit dieser publisher_id',
    'register it although its name looks like that of another add-on':
      'registrieren, obwohl der Name wie der eines anderen Add-ons aussieht',
    'resource that a confidential add-on is responsible for: it may introspect tokens for that resource':
      'Ressource, für die ein vertrauliches Add-on zuständig ist: Es darf Token für sie prüfen (Introspection)',
    'resources of other servers that it may ask for (RFC 8707)':
      'Ressourcen anderer Server, nach denen es fragen darf (RFC 8707)',
    'revoke every grant that holds a scope which the add-on may no longer ask for':
      'jede Freigabe mit einem Scope widerrufen, nach dem das Add-on nicht mehr fragen darf',
    'secret_id, as printed by add and list': 'secret_id, wie sie in der Liste steht',
    'streams in this state; failing: no push works':
      'Signalströme mit diesem Status; gestört: kein Push kommt an',
    'sub of the user at the provider': 'sub der Person beim Identitätsanbieter',
    'the add-on can keep a secret: create a client_secret, which is shown once':
      'das Add-on kann ein Geheimnis bewahren: ein Client-Secret erstellen, das einmal gezeigt wird',
    'the add-on is also notified that records changed':
      'das Add-on wird auch benachrichtigt, dass Datensätze sich geändert haben',
    'the id by which the host platform knows it; unique':
      'die Kennung, unter der die Plattform sie kennt; einmalig',
    'the new password; the person should change it': 'das neue Passwort; die Person sollte es ändern',
    'the password; without it the account is invited, and the answer has a link to choose one':
      'das Passwort; ohne wird die Person eingeladen, und die Antwort hat einen Link, um eines zu wählen',
    'the stream of this add-on': 'der Signalstrom dieses Add-ons',
    'the value that each push is sent with; it is never shown again':
      'der Wert, mit dem jeder Push gesendet wird; er wird nie wieder gezeigt',
    'token_id, as printed by create and list': 'token_id, wie sie in der Liste steht',
    'user_id of the account': 'user_id des Kontos',
    'users who administer this organization or may read its audit log':
      'Konten, die diese Organisation verwalten oder ihr Protokoll lesen dürfen',
    'users with this role': 'Konten mit dieser Rolle',
    'what it may ask for, instead of what it may now': 'wonach es fragen darf, statt wie bisher',
    'where a sign-out may lead': 'wohin das Abmelden führen darf',
    'where an administrator is sent after activating': 'wohin Administratoren nach dem Aktivieren kommen',
    'where an administrator is sent after activating; without it the add-on cannot be activated for an organization, only users can allow it':
      'wohin Administratoren nach dem Aktivieren kommen; ohne sie kann das Add-on nicht für eine Organisation aktiviert werden, nur Personen können ihm Zugriff erlauben',
    'where is pushed to; without it the add-on polls':
      'wohin gesendet wird; ohne sie fragt das Add-on ab (Poll)',
    'where the add-on may have the browser sent after a sign-out':
      'wohin das Add-on den Browser nach dem Abmelden schicken darf',
    'where the browser is sent with the code': 'wohin der Browser mit dem Code kommt',
    'whether they see its name': 'ob sie den Namen sehen',
    'which role': 'welche Rolle',
    'who offers it': 'wer es anbietet',
    'why, for the audit log: nothing about a person': 'warum, für das Protokoll: nichts über eine Person',

    // what fields accept
    'a position in the log, as commit/prepare: 4711/4711':
      'eine Position im Ereignisprotokoll, als commit/prepare: 4711/4711',
    'a whole number of days, hours, minutes or seconds: 90d, 12h, 30m, 10s':
      'eine ganze Zahl von Tagen, Stunden, Minuten oder Sekunden: 90d, 12h, 30m, 10s',
    'an absolute URL such as https://addon.example/callback':
      'eine absolute URL wie https://addon.example/callback',
    'an id, or an e-mail address': 'eine Kennung oder eine E-Mail-Adresse',
    'an id, external:X with its external id, or its exact name':
      'eine Kennung, external:X mit der externen Kennung oder der genaue Name',
    'an id, or its exact name': 'eine Kennung oder der genaue Name',
    'no field': 'kein Feld',
    'true or false': 'true oder false',

    // why a field is refused
    'belongs to another account': 'gehört zu einem anderen Konto',
    'is added and removed': 'wird hinzugefügt und entfernt',
    'is listed twice': 'steht zweimal in der Liste',
    'is not an account': 'ist kein Konto',
    'is not an organization': 'ist keine Organisation',
    'is the address that it has already': 'ist die Adresse, die es schon hat',
    'is there already': 'ist schon vorhanden',
    'must be a PNG, JPEG or WebP file': 'muss eine PNG-, JPEG- oder WebP-Datei sein',
    'must be absolute, with a scheme in lower case': 'muss absolut sein, mit einem Schema in Kleinbuchstaben',
    'must be an absolute URI': 'muss eine absolute URI sein',
    'must be an address such as ada@example.com': 'muss eine Adresse wie erika@example.com sein',
    'must be an https URL': 'muss eine https-Adresse sein',
    'must be an https address': 'muss eine https-Adresse sein',
    'must be empty: only a confidential add-on may answer for resources':
      'muss leer sein: Nur ein vertrauliches Add-on darf für Ressourcen zuständig sein',
    'must be https unless the host is 127.0.0.1, [::1] or localhost':
      'muss mit https beginnen, außer bei den Hosts 127.0.0.1, [::1] und localhost',
    'must be https, http on a loopback host, or a scheme with a dot':
      'muss mit https beginnen, mit http bei einem Loopback-Host oder mit einem Schema, das einen Punkt hat',
    'must be https, or http on a loopback host':
      'muss mit https beginnen, oder mit http bei einem Loopback-Host',
    'must be in Unicode form NFC, without spaces at its ends':
      'muss in der Unicode-Form NFC sein, ohne Leerzeichen am Anfang und am Ende',
    'must be one line without control characters': 'muss eine Zeile ohne Steuerzeichen sein',
    'must not contain @, as e-mail addresses do': 'darf kein @ enthalten, wie es E-Mail-Adressen haben',
    'must be visible ASCII, and belongs to an endpoint URL':
      'muss aus sichtbaren ASCII-Zeichen bestehen und gehört zu einer Adresse des Endpunkts',
    'must contain at least one URI': 'muss mindestens eine URI enthalten',
    'must contain authorization_code: without it nobody gets a refresh token':
      'muss authorization_code enthalten: ohne ihn gibt es kein Refresh-Token',
    'must contain only the ASCII characters of a URI': 'darf nur die ASCII-Zeichen einer URI enthalten',
    'must have a host name instead of an IPv6 address': 'muss einen Hostnamen statt einer IPv6-Adresse haben',
    'must have a host name or four numbers from 0 to 255 as its host':
      'muss als Host einen Namen oder vier Zahlen von 0 bis 255 haben',
    'must have a host, without user and password': 'muss einen Host haben, ohne Benutzer und Passwort',
    'must have a path after the scheme': 'muss nach dem Schema einen Pfad haben',
    'must have a port from 1 to 65535, or none': 'muss einen Port von 1 bis 65535 haben oder keinen',
    'must have a valid host': 'muss einen gültigen Host haben',
    'must name each grant type once': 'muss jeden Grant-Type einmal nennen',
    'must not be empty': 'darf nicht leer sein',
    'must not be empty: an add-on that is only a resource server must be confidential':
      'darf nicht leer sein: Ein Add-on, das nur Ressourcenserver ist, muss vertraulich sein',
    'must not be one of the passwords that are used most':
      'darf keines der am häufigsten verwendeten Passwörter sein',
    'must not have a fragment': 'darf kein Fragment haben',
    'must not have a wildcard': 'darf keinen Platzhalter haben',
    'must not have an IPv6 address as its host, except [::1]':
      'darf als Host keine IPv6-Adresse haben, außer [::1]',
    'must not have the path segments . or ..': 'darf die Pfadsegmente . und .. nicht enthalten',
    'must not have user information (user:password@)':
      'darf keinen Benutzer und kein Passwort enthalten (user:password@)',
    'needs the role auditor': 'braucht die Rolle Auditor',
    'the id of a publisher': 'ist kein Anbieter',
    'there are none': 'vorhanden sind keine',
    'the id of a publisher: grantbook publisher list finds it': 'ist kein Anbieter',

    // of members of publishers
    'Add a client secret': 'Client-Secret hinzufügen',
    'It is valid next to the others until these are removed; at most five are.':
      'Es gilt neben den anderen, bis Sie diese entfernen; höchstens fünf gelten.',
    'Remove a client secret': 'Client-Secret entfernen',
    'Propose a change': 'Eine Änderung vorschlagen',
    'It takes effect at once. A field that you leave as it is, or empty, changes nothing.':
      'Sie gilt sofort. Unveränderte und leere Felder ändern nichts.',
    'It takes effect when an operator approves it. A field that you leave as it is, or empty, changes nothing.':
      'Sie gilt, sobald der Betrieb sie genehmigt. Unveränderte und leere Felder ändern nichts.',
    'Withdraw a change that waits': 'Eine wartende Änderung zurückziehen',
    'The add-on stays as it is.': 'Das Add-on bleibt, wie es ist.',
    'change_id, as printed by list': 'change_id, wie die Liste sie nennt',
    'At most once in five seconds.': 'Höchstens einmal in fünf Sekunden.',
    'Everything that is kept and came after the position, with the same ids.':
      'Alles, was aufbewahrt wird und nach der Position kam, mit denselben Kennungen.',
    'No organization shows that it has the add-on active.':
      'Keine Organisation zeigt, dass das Add-on für sie aktiv ist.',
    'The add-on has no secret.': 'Das Add-on hat kein Client-Secret.',
    'No change was proposed.': 'Noch wurde keine Änderung vorgeschlagen.',
    'Nothing was counted.': 'Noch wurde nichts gezählt.',
    Day: 'Tag',
    'Tokens issued': 'Ausgestellte Token',
    'Pages of lists': 'Seiten von Listen',
    Refusals: 'Ablehnungen',
    'Limits reached': 'Erreichte Grenzen',
  },

  patterns: [
    [/^belongs to the organization (.+)$/, 'gehört zur Organisation $1'],
    [/^is not there; (.+)$/s, 'ist nicht vorhanden; $1'],
    [/^there are: (.+)$/s, 'vorhanden sind: $1'],
    [/^must be a whole number from (\d+) to (\d+)$/, 'muss eine ganze Zahl von $1 bis $2 sein'],
    [
      /^must be left out: it follows the name of the publisher (.+)$/,
      'muss wegbleiben: Es ist der Name des Anbieters $1',
    ],
    [/^looks like (.+)$/s, 'sieht aus wie $1'],
    [/^another add-on has the same name: (.+)$/, 'ein anderes Add-on hat denselben Namen: $1'],
    [/^must contain at most (\d+) URIs$/, 'darf höchstens $1 URIs enthalten'],
    [/^must have (\d+) to (\d+) characters$/, 'muss $1 bis $2 Zeichen haben'],
    [/^must have at most (\d+) bytes$/, 'darf höchstens $1 Bytes haben'],
    [/^must have at most (\d+) characters$/, 'darf höchstens $1 Zeichen haben'],
    [
      /^must not contain invisible characters, joiners or marks that change the direction of writing: it contains (.+)$/,
      'darf keine unsichtbaren Zeichen, Verbinder oder Zeichen enthalten, die die Schreibrichtung ändern: enthalten ist $1',
    ],
    [
      /^must not have the parameter (\S+) in its query: the response adds (.+)$/,
      'darf den Parameter $1 nicht enthalten: Die Antwort fügt $2 hinzu',
    ],
    [/^a list; each is (.+)$/, 'eine Liste; erlaubt ist jeweils: $1'],
    [/^a text of (\d+) to (\d+) characters on one line$/, 'ein Text von $1 bis $2 Zeichen in einer Zeile'],
    [/^a text of at most (\d+) characters$/, 'ein Text von höchstens $1 Zeichen'],
    [/^a whole number from (\d+) to (\d+)$/, 'eine ganze Zahl von $1 bis $2'],
    [/^(\d+) to (\d+) characters out of (.+)$/, '$1 bis $2 Zeichen aus $3'],
    [/^an id: (.+)$/, 'eine Kennung: $1'],
    [/^one of (.+)$/, 'eines von $1'],
    [/^nothing without (.+)$/, 'nichts ohne $1'],
    [/^nothing together with (.+)$/, 'nichts zusammen mit $1'],
    [/^(.+), in base64$/, '$1, in base64'],
    [
      /^when it expires: in (\d+) to (\d+) days \(default: (\d+)\)$/,
      'wann es abläuft: in $1 bis $2 Tagen (sonst $3)',
    ],
    [/^what the add-on may ask for \(default: (.+)\)$/, 'wonach das Add-on fragen darf (sonst $1)'],
    [
      /^what the add-on may use at the token endpoint \(default: (.+)\)$/,
      'was das Add-on am Token-Endpunkt verwenden darf (sonst $1)',
    ],
    [
      /^the host platform's id of the profile: (.+); one that begins with - comes last, after --$/,
      'die Kennung des Profils auf der Plattform: $1',
    ],
  ],

  labels: {
    remove_redirect_uri: 'Redirect-URIs entfernen',
    remove_post_logout_redirect_uri: 'Adressen nach dem Abmelden entfernen',
    add_post_logout_redirect_uri: 'Adressen nach dem Abmelden hinzufügen',
    activated_at: 'Aktiviert',
    activated_by: 'Aktiviert von',
    added_at: 'Hinzugefügt',
    addons: 'Add-ons',
    administrators: 'Administratoren',
    allowed_audiences: 'Erlaubte Ressourcen',
    allowed_scopes: 'Erlaubte Scopes',
    approvals: 'Erlaubnisse',
    approver: 'Erlaubt von',
    approvers: 'Personen, die erlaubt haben',
    audiences: 'Eigene Ressourcen',
    auditor: 'Auditor',
    auditors: 'Auditoren',
    change_id: 'Änderung',
    changed: 'Geändert',
    change: 'Änderung',
    changes: 'Änderungen',
    client_id: 'Add-on',
    client_secret: 'Client-Secret',
    code: 'Code',
    completed: 'Abgeschlossen',
    confidential: 'Vertraulich',
    configuration_url: 'Konfigurationsadresse',
    deactivated_at: 'Deaktiviert',
    deactivated_by: 'Deaktiviert von',
    decided_at: 'Entschieden',
    delivered: 'Zugestellt',
    disabled: 'Deaktiviert',
    email: 'E-Mail-Adresse',
    email_claim: 'E-Mail-Adresse noch reserviert',
    email_verified: 'E-Mail-Adresse bestätigt',
    endpoint_url: 'Adresse des Endpunkts',
    epoch: 'Epoche',
    erased: 'Gelöscht',
    events_in_clear: 'Unverschlüsselte Ereignisse',
    expires_at: 'Läuft ab',
    external_id: 'Externe Kennung',
    'expired-messages': 'Abgelaufene Nachrichten',
    failing_since: 'Gestört seit',
    given_to: 'Gegeben an',
    fenced_at: 'Abgelehnt seit',
    forgotten: 'Zurückgesetzte Zähler',
    grant_id: 'Freigabe',
    grant_types: 'Grant-Types',
    grants: 'Freigaben',
    has_logo: 'Logo',
    id: 'Kennung',
    id_token_alg: 'Algorithmus der id_tokens',
    identities: 'Identitäten',
    issued_at: 'Erteilt',
    issuer: 'Aussteller',
    last_delivered_at: 'Zuletzt zugestellt',
    last_error: 'Letzter Fehler',
    last_error_at: 'Letzter Fehler am',
    last_read_at: 'Zuletzt gelesen',
    last_token_at: 'Letztes Token',
    link: 'Link',
    live_grants: 'Wirksame Freigaben',
    made_by: 'Erstellt von',
    made_with: 'Erstellt mit',
    mailed: 'Per E-Mail gesendet',
    members: 'Mitglieder',
    message: 'Hinweis',
    method: 'Verfahren',
    name: 'Name',
    oldest_waiting_at: 'Ältestes wartet seit',
    organization_id: 'Organisation',
    organizations: 'Organisationen',
    passkey_id: 'Passkey',
    passkeys: 'Passkeys',
    position: 'Position',
    post_logout_redirect_uris: 'Adressen nach dem Abmelden',
    privacy_url: 'Datenschutzerklärung',
    profiles: 'Profile',
    provider: 'Identitätsanbieter',
    publisher: 'Anbieter',
    publisher_id: 'Betreut von',
    publishers: 'Anbieter',
    reason: 'Grund',
    receipts: 'Belege',
    receipts_complete: 'Belege vollständig',
    redirect_uris: 'Redirect-URIs',
    remains: 'Nicht gelöscht',
    removed: 'Entfernt',
    repeated: 'War schon so',
    requested_at: 'Vorgeschlagen',
    member: 'Mitglied',
    proposed_by: 'Vorgeschlagen von',
    approved_by: 'Genehmigt von',
    refused_by: 'Abgelehnt von',
    differences: 'Was sich ändert',
    field: 'Feld',
    before: 'Vorher',
    after: 'Nachher',
    user: 'Konto',
    with_new_host: 'Mit neuem Host',
    revision: 'Stand',
    retired: 'Endgültig beendet',
    revocation: 'Widerruf',
    revoked: 'Widerrufen',
    revoked_grants: 'Widerrufene Freigaben',
    role: 'Rolle',
    roles: 'Rollen',
    scopes: 'Scopes',
    secret_id: 'Client-Secret',
    secrets: 'Client-Secrets',
    sessions: 'Sitzungen',
    shown_to_publishers: 'Für Anbieter sichtbar',
    signals: 'Signale',
    source: 'Herkunft',
    state: 'Status',
    status: 'Status',
    stream_id: 'Signalstrom',
    subject: 'Kennung dort (sub)',
    support_url: 'Hilfe',
    synced: 'Synchronisiert',
    token: 'Token',
    token_id: 'Token',
    tokens: 'Token',
    told_by_mail: 'Per E-Mail informiert',
    unredeemed_codes: 'Nicht eingelöste Codes',
    usage: 'Nutzung',
    users: 'Konten',
    waiting: 'Wartend',
    warnings: 'Hinweise',
    verified: 'Geprüft',
    website: 'Website',
    records_id: 'Datensätze',
    missing: 'Fehlende Nachrichten',
    since: 'Seit',
    partitions: 'Partitionen',
    topic: 'Topic',
    partition: 'Partition',
    from: 'Ab Offset',
    until: 'Bis vor Offset',
    found_at: 'Gefunden',
  },

  values: {
    active: 'aktiv',
    administrator: 'Administrator',
    approved: 'genehmigt',
    auditor: 'Auditor',
    building: 'im Aufbau',
    built: 'aufgebaut',
    claim: 'per Claim',
    closed: 'geschlossen',
    deactivated: 'deaktiviert',
    deleted: 'gelöscht',
    disabled: 'deaktiviert',
    enabled: 'aktiv',
    erased: 'gelöscht',
    expired: 'abgelaufen',
    failing: 'gestört',
    false: 'nein',
    'in use': 'in Betrieb',
    leading: 'ist Leader',
    manual: 'von Hand',
    'never-activated': 'nie aktiviert',
    'no group yet': 'noch keine Gruppe',
    'not configured': 'nicht eingerichtet',
    open: 'offen',
    operator: 'Betreiber',
    paused: 'angehalten',
    poll: 'Poll',
    publisher: 'Anbieter',
    push: 'Push',
    refused: 'abgelehnt',
    retired: 'endgültig beendet',
    revoked: 'widerrufen',
    standby: 'bereit',
    stopped: 'angehalten',
    stuck: 'hängt',
    suspended: 'gesperrt',
    true: 'ja',
    waiting: 'wartet',
    withdrawn: 'zurückgezogen',
    'access-rights': 'Zugangsrechte',
    reservations: 'Buchungen',
    profiles: 'Profile',
  },

  refusals: {
    'activated-too-often': () =>
      'Das Add-on wurde innerhalb von 24 Stunden zu oft aktiviert. Versuchen Sie es später noch einmal.',
    'addon-invalid': () => 'So kann das Add-on nicht geändert werden.',
    'addon-public': () =>
      'Das Add-on ist öffentlich: Nur ein Add-on, das als vertraulich registriert wurde, hat Client-Secrets.',
    'addon-retired': () => 'Das Add-on wurde endgültig beendet.',
    'addon-suspended': () => 'Das Add-on ist gesperrt. Heben Sie zuerst die Sperre auf.',
    'addon-unknown': () => 'Dieses Add-on gibt es nicht.',
    'administrator-by-claim': () =>
      'Die Person verwaltet die Organisation durch einen Claim des Identitätsanbieters: Entfernen Sie ihn dort, oder deaktivieren Sie das Konto.',
    'author-not-a-member': () =>
      'Der Vorschlag ist beendet, denn wer ihn gemacht hat, hat den Anbieter verlassen oder wurde deaktiviert: Lehnen Sie ihn ab.',
    'change-empty': () => 'Es würde sich nichts ändern: Füllen Sie mindestens ein Feld aus.',
    'change-invalid': () => 'So kann das Add-on nicht geändert werden.',
    'change-decided': () =>
      'Die Änderung wartet nicht mehr: Sie wurde genehmigt, abgelehnt oder zurückgezogen.',
    'change-outdated': () =>
      'Die Änderung passt nicht mehr zum Add-on: Lehnen Sie sie ab, und lassen Sie den Anbieter eine andere vorschlagen.',
    'change-unknown': () =>
      'Diese Änderung hat das Add-on nicht. Ihre Kennung steht in der Liste der Änderungen.',
    'not-found': () => 'Diese Änderung hat das Add-on nicht. Ihre Kennung steht in der Liste der Änderungen.',
    'changed-meanwhile': ({ changes }) =>
      `Es wurde nichts getan, denn es hat sich geändert, seit Sie es gesehen haben. ${changes.join(' ')}`.trim(),
    'configuration-url-missing': () =>
      'Das Add-on wurde ohne Konfigurationsadresse registriert und kann deshalb nicht für eine Organisation aktiviert werden.',
    'email-taken': () => 'Ein anderes Konto hat diese E-Mail-Adresse.',
    'external-id-taken': () => 'Eine andere Organisation hat diese externe Kennung.',
    'grant-unknown': () => 'Diese Freigabe gibt es nicht.',
    'identity-taken': () =>
      'Die Identität öffnet ein anderes Konto: Entfernen Sie zuerst dort die Verknüpfung.',
    'identity-unknown': () => 'Mit dem Konto ist keine Identität dieses Identitätsanbieters verknüpft.',
    invalid: () => 'So ist das nicht möglich.',
    'last-administrator': () =>
      'Es wäre kein Administrator übrig, der sich anmelden kann. Um es trotzdem zu tun, wählen Sie „Trotzdem“.',
    'last-operator': () =>
      'Das ist der letzte Betreiber, der sich anmelden kann. Um es trotzdem zu tun, wählen Sie „Trotzdem“.',
    'last-secret': () => 'Das ist das letzte Client-Secret des Add-ons. Erstellen Sie zuerst ein anderes.',
    'members-invalid': () => 'Die Organisation kann diese Personen nicht haben.',
    'expired-messages-unknown': () => 'Diese Art von Datensätzen gibt es nicht.',
    'name-ambiguous': ({ candidates }) =>
      `So heißen: ${candidates.map(({ id, name, email }) => `${id} (${[name, email].filter(Boolean).join(', ')})`).join(', ')}. Nehmen Sie die Kennung.`,
    'name-looks-alike': () =>
      'Der Name sieht aus wie der eines anderen Add-ons, sodass man sie verwechseln könnte. Um ihn trotzdem zu verwenden, wählen Sie „Trotzdem“.',
    'name-taken': () => 'Das Konto hat ein gültiges Token mit diesem Namen.',
    'never-activated': () => 'Das Add-on war für diese Organisation nie aktiv.',
    'not-an-administrator': () =>
      'Die Person verwaltet die Organisation nicht und hat auch keine Rolle, für die sie ein Token braucht.',
    'not-an-auditor': () => 'Das Konto hat die Rolle Auditor nicht. Geben Sie ihm zuerst diese Rolle.',
    'organization-closed': () =>
      'Die Organisation ist geschlossen. Deshalb kann kein Add-on für sie aktiviert werden.',
    'organization-missing': () => 'Die Rolle Administrator braucht eine Organisation.',
    'organization-needless': () => 'Nur die Rolle Administrator hat eine Organisation.',
    'organization-unknown': () => 'Diese Organisation gibt es nicht.',
    'own-account': () =>
      'Das ist das Konto, mit dem Sie gerade arbeiten. Um es trotzdem zu tun, wählen Sie „Trotzdem“.',
    'own-change': () =>
      'Hinter dem Vorschlag und dieser Genehmigung steht dieselbe Person, selbst oder mit einem Token, das sie erstellt hat: Ein anderer Betreiber muss genehmigen.',
    'passkey-unknown': () => 'Diesen Passkey hat das Konto nicht.',
    'passwords-off': () =>
      'LOCAL_SIGN_IN ist ausgeschaltet. Deshalb meldet sich niemand mit einem Passwort an.',
    'profile-unknown': () =>
      'Dieses Profil hat die Organisation nicht. Groß- und Kleinschreibung der Kennung zählt.',
    'provider-unknown': () => 'SIGN_IN_PROVIDERS_FILE enthält keinen Identitätsanbieter mit dieser Kennung.',
    'publisher-missing': () => 'Die Rolle Anbieter braucht einen Anbieter.',
    'publisher-needless': () => 'Nur die Rolle Anbieter hat einen Anbieter.',
    'publisher-unknown': () => 'Diesen Anbieter gibt es nicht.',
    'push-only': () =>
      'Ein öffentliches Add-on kann nicht abfragen (Poll), weil es kein eigenes Token hat. Geben Sie die Adresse eines Endpunkts an.',
    'grants-not-known': () =>
      'Nichts wurde geändert, denn welche Freigaben es gibt, ist noch nicht bekannt. Bitte wiederholen.',
    'read-models-behind': () =>
      'Die Änderung gilt, aber vielleicht ist noch nicht alles beendet, weil die Lesemodelle im Rückstand sind. Wiederholen Sie die Aufgabe.',
    'role-by-claim': () =>
      'Die Person hat die Rolle durch einen Claim des Identitätsanbieters: Entfernen Sie ihn dort, oder deaktivieren Sie das Konto.',
    'secret-unknown': () => 'Dieses Client-Secret hat das Add-on nicht.',
    'signal-stream-exists': () =>
      'Das Add-on hat schon einen Signalstrom. Löschen Sie ihn zuerst, oder lassen Sie ihn.',
    'signals-invalid': () => 'So kann nichts gesendet werden.',
    'signals-unknown': () => 'Diesen Signalstrom gibt es nicht.',
    'token-unknown': () => 'Dieses gültige Token hat das Konto nicht.',
    'too-many-changes': () => 'Zu viele Änderungen warten auf den Betrieb: Ziehen Sie zuerst eine zurück.',
    'too-many-audiences': () => 'Ein Add-on darf nach höchstens 100 Ressourcen fragen.',
    'too-many-secrets': () =>
      'Das Add-on hat die größte mögliche Zahl von Client-Secrets. Entfernen Sie zuerst eines.',
    'too-many-tokens': () => 'Das Konto hat die größte mögliche Zahl gültiger Token.',
    'too-many-tokens-today': () =>
      'Für das Konto wurden innerhalb eines Tages zu viele Token erstellt. Versuchen Sie es morgen noch einmal.',
    'user-disabled': () => 'Das Konto ist deaktiviert. Lassen Sie es zuerst wieder zu.',
    'user-erased': () => 'Das Konto wurde gelöscht. Das kann nicht rückgängig gemacht werden.',
    'user-unknown': () => 'Dieses Konto gibt es nicht.',
  },

  done: {
    'addon.add-secret': () =>
      'Erstellt. Ein laufender Dienst nimmt das Client-Secret innerhalb von 5 Sekunden an.',
    'addon.approve-change': () => 'Genehmigt.',
    'addon.refuse-change': () => 'Abgelehnt.',
    'addon.list-organizations': ({ shown, hidden }) =>
      activeIn(Number(shown) + Number(hidden), Number(hidden)),
    'addon.register': () => 'Registriert.',
    'addon.remove-secret': () =>
      'Entfernt. Ein laufender Dienst lehnt das Client-Secret innerhalb von 5 Sekunden ab.',
    'addon.retire': ({ receipts }) => `Endgültig beendet. Belege: ${lengthOf(receipts)}.`,
    'addon.update': ({ receipts }) =>
      `Erledigt. Widerrufene Freigaben: ${(Array.isArray(receipts) ? (receipts as readonly { readonly revoked_grants?: number }[]) : []).reduce((sum, { revoked_grants: grants = 0 }) => sum + grants, 0)}.`,
    'organization.activate-addon': ({ epoch, configuration_url: address }) =>
      `Aktiv, Epoche ${String(epoch)}. Als Nächstes öffnet ein Administrator ${String(address)}`,
    'organization.close': ({ receipts }) => `Geschlossen. Deaktivierte Add-ons: ${lengthOf(receipts)}.`,
    'organization.deactivate-addon': ({ epoch }) =>
      `Deaktiviert. Alle Codes und Token der Epoche ${String(epoch)} werden abgelehnt, spätestens seit dem Zeitpunkt, der unten steht.`,
    'organization.erase-profile': ({ remains }) =>
      `Gelöscht: Die personenbezogenen Daten können nicht mehr gelesen werden; neuere Fassungen werden abgelehnt.${inClear(remains)}`,
    'addon.show-change': () => '',
    'organization.show-activation': () => '',
    'signals.delete': () => 'Gelöscht.',
    'user.create': (answer) => `Eingeladen. ${linkMade(answer)}`,
    'user.create-token': () => 'Erstellt.',
    'user.erase': ({ remains }) =>
      `Gelöscht: Die personenbezogenen Daten können nicht mehr gelesen werden, eine Anmeldung ist nicht möglich, und die E-Mail-Adresse ist frei, soweit unten nichts anderes steht.${inClear(remains)}`,
    'user.invite': (answer) => `Eingeladen. ${linkMade(answer)}`,
    'user.reset-password': (answer) => `Erstellt. ${linkMade(answer)}`,
    'user.revoke-token': () => 'Widerrufen: Das Token öffnet nichts mehr.',
    'user.unlock': ({ forgotten }) => `Zurückgesetzte Zähler: ${String(forgotten)}.`,
  },
};
