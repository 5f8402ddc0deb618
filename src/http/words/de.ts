import type { Words } from './en.ts';
import { countIn } from './plural.ts';

const count = countIn('de-DE');
const seconds = (n: number) => `in ${count(n, { one: 'Sekunde', other: 'Sekunden' })}`;

export const de: Words = {
  tag: 'de',
  locale: 'de-DE',
  name: 'Deutsch',

  frame: {
    error: 'Fehler: ',
    skip: 'Zum Inhalt springen',
    service: 'Dienst',
    menu: 'Menü',
    way: 'Pfad',
    areasOf: 'Bereiche',
    areas: {
      account: 'Ihr Konto',
      organizations: 'Organisationen',
      audit: 'Protokoll',
      publisher: 'Anbieter',
      operator: 'Betrieb',
      docs: 'API-Referenz',
    },
    links: { support: 'Hilfe', terms: 'Nutzungsbedingungen', privacy: 'Datenschutz', docs: 'API-Referenz' },
    account: 'Ihr Konto',
    accountArea: 'Konto',
    organizations: 'Ihre Organisationen',
    audit: 'Protokolle',
    operator: 'Betrieb',
    start: 'Startseite',
    signIn: 'Anmelden',
    signOut: 'Abmelden',
    cancel: 'Abbrechen',
    keep: 'Behalten',
    stay: 'Angemeldet bleiben',
    tryAgain: 'Noch einmal versuchen',
    forDeveloper: 'Für die Entwickler:',
    reference: 'Kennung:',
    backTo: (host) => `Zurück zu ${host}`,
    continueTo: (host) => `Weiter zu ${host}`,
    continueToAddon: 'Weiter zum Add-on',
    openAgain: 'Seite neu öffnen',
    signedInAs: (name) => `Sie sind als ${name} angemeldet.`,
    addonsKeepWorking: 'Add-ons, denen Sie Zugriff erlaubt haben, funktionieren weiter.',
    notYou: 'Das sind nicht Sie?',
  },

  parts: {
    change: 'Ändern',
    pages: 'Seiten',
    rangeOf: (range, count, isMore) => `${range} von ${isMore ? `mehr als ${count}` : count}`,
    first: 'Erste',
    previous: 'Vorige',
    next: 'Nächste',
  },

  times: {
    todayShort: (time) => `heute ${time}`,
    today: (time) => `heute um ${time}`,
    yesterday: (time) => `gestern um ${time}`,
    moment: (day, time) => `${day} um ${time}`,
  },

  signIn: {
    title: 'Anmelden',
    failed: 'Fehler: Anmelden',
    toContinueTo: (addon) => `um mit ${addon} fortzufahren`,
    again: 'Melden Sie sich noch einmal an, bevor Sie ändern, wie Sie sich anmelden.',
    anotherAccount: (name, addon) =>
      `Sie sind als ${name} angemeldet, aber ${addon} erwartet ein anderes Konto.`,
    tooMany: (n) => `Zu viele Anmeldeversuche. Versuchen Sie es ${seconds(n)} noch einmal.`,
    wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    withPasskey: 'Mit einem Passkey anmelden',
    withProvider: (provider) => `Mit ${provider} anmelden`,
    passkeyTitle: 'Mit einem Passkey anmelden',
    passkeyHow:
      'Ihr Browser fragt nach dem Passkey, und Ihr Gerät nach Ihrem Fingerabdruck, Ihrem Gesicht oder Ihrer PIN.',
    usePasskey: 'Passkey verwenden',
    usePassword: 'Passwort verwenden',
    tooManyNow:
      'Im Moment melden sich zu viele Menschen gleichzeitig an. Versuchen Sie es in einigen Sekunden noch einmal.',
    passwordsOff: 'Passwörter und Passkeys sind ausgeschaltet',
    passwordsOffHow: 'Melden Sie sich stattdessen über einen Anbieter Ihrer Organisation an.',
    later: 'Versuchen Sie es später noch einmal',
    laterIn: (n) => `Zu viele Anmeldeversuche. Versuchen Sie es ${seconds(n)} noch einmal.`,
    busy: 'Versuchen Sie es noch einmal.',
    copiedPasskey:
      'Dieser Passkey wurde möglicherweise kopiert: Ein anderes Gerät hat ihn verwendet. Melden Sie sich mit Ihrem Passwort an, entfernen Sie ihn und fügen Sie einen neuen hinzu.',
    wrongPasskey:
      'Mit diesem Passkey können Sie sich hier nicht anmelden. Verwenden Sie einen anderen oder Ihr Passwort.',
  },

  forgot: {
    title: 'Passwort vergessen?',
    how: 'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie erhalten eine E-Mail mit einem Link, über den Sie ein neues Passwort wählen.',
    submit: 'Link senden',
    sentTitle: 'Sehen Sie in Ihr Postfach',
    sent: (email) =>
      `Wenn ${email} zu einem Konto mit Passwort gehört, ist eine E-Mail mit einem Link unterwegs. Der Link ist 24 Stunden gültig.`,
    sentNot: 'Keine E-Mail? Sehen Sie im Spam-Ordner nach, oder fragen Sie den Betreiber dieses Dienstes.',
    ask: 'Dieser Dienst kann keine E-Mails senden. Bitten Sie die Menschen, die ihn betreiben, um einen Link für ein neues Passwort.',
    back: 'Zurück zur Anmeldung',
    malformed: 'Das ist keine E-Mail-Adresse.',
  },

  signOut: {
    title: 'Abmelden',
    question: 'Abmelden?',
    done: 'Sie sind abgemeldet',
    askedBy: (addon) => `${addon} möchte Sie abmelden.`,
    sentTo: (host) => `Danach geht es weiter zu ${host}.`,
    mistake:
      'Das Add-on, von dem Sie kommen, hat einen Fehler gemacht. Deshalb können wir Sie nicht sicher dorthin zurückschicken.',
    repeatedState: 'Die Adresse enthält den Parameter „state“ mehr als einmal.',
  },

  approve: {
    title: (addon) => `${addon} Zugriff erlauben?`,
    wantsRecords: (addon) => `${addon} möchte Daten lesen. Wählen Sie, welche.`,
    wantsOwn: (addon, name) => `${addon} möchte Ihre eigenen Daten lesen, also die von ${name}.`,
    wantsOrganization: (addon, organization) =>
      `${addon} möchte die Daten der ganzen Organisation ${organization} lesen.`,
    wantsIdentity: (addon) => `${addon} möchte wissen, wer Sie sind.`,
    wantsNothing: (addon) => `${addon} möchte verbunden werden.`,
    by: (publisher) => `von ${publisher}`,
    registeredSince: (day) => `Hier registriert seit dem ${day}`,
    website: 'Website',
    privacy: 'Datenschutz',
    support: 'Hilfe',
    whose: 'Wessen Daten darf es lesen?',
    forWhom: 'Für wen wird es verbunden?',
    justMine: 'Nur meine Daten, in allen meinen Organisationen',
    wholeOrganization: 'Die ganze Organisation',
    justActivated: 'Sie haben es dort gerade aktiviert',
    allBefore: 'Das alles haben Sie schon einmal erlaubt',
    moreThanBefore: 'Es möchte mehr, als Sie bisher erlaubt haben. Das Neue ist markiert.',
    isNew: 'Neu',
    notOffered: (names, more) => `Nicht zur Auswahl: ${names}${more > 0 ? ` und ${more} weitere` : ''}.`,
    activateThere:
      'Das Add-on ist dort nicht aktiviert. Sie können es unter „Ihre Organisationen“ aktivieren.',
    cannotBeActivated:
      'Das Add-on hat keine Konfigurationsadresse und kann deshalb nicht für eine Organisation aktiviert werden.',
    noAccess: 'Es erhält keinen Zugriff auf Daten.',
    able: 'Das darf es dann',
    whoYouAre: 'Wer Sie sind',
    records: 'Daten',
    forExample: (example) => `Zum Beispiel: ${example}`,
    never: 'Das darf es nie',
    neverList: ['Ihr Passwort sehen', 'Hier etwas ändern oder löschen', 'Mehr sehen, als oben steht'],
    where: 'Wo es das verwenden darf',
    here: 'In diesem Marktplatz',
    howLong: 'Wie lange',
    unlessUsed: (unused, most) =>
      `Bis jemand den Zugriff beendet, höchstens ${most}. Er endet von selbst, wenn er ${unused} lang nicht genutzt wird.`,
    atMost: (most) => `Bis jemand den Zugriff beendet, höchstens ${most}.`,
    provider: (addon) => `Der Anbieter von ${addon} sieht diese Daten.`,
    endedByYou: 'Sie beenden ihn jederzeit unter „Ihr Konto“, mit sofortiger Wirkung.',
    endedByAdministrators:
      'Für eine Organisation beenden ihn deren Administratoren unter „Ihre Organisationen“, mit sofortiger Wirkung.',
    next: (host) => `Danach geht es weiter zu ${host}.`,
    allow: 'Zugriff erlauben',
    deny: 'Nicht erlauben',
    signedInAs: (name) => `Angemeldet als ${name}`,
  },

  scopes: {
    openid: {
      long: 'Sie wiedererkennen: an einer Kennung Ihres Kontos',
      own: 'Sie wiedererkennen: an einer Kennung Ihres Kontos',
      short: 'eine Kennung Ihres Kontos',
      example: null,
    },
    profile: { long: 'Ihren Namen sehen', own: 'Ihren Namen sehen', short: 'Ihren Namen', example: null },
    email: {
      long: 'Ihre E-Mail-Adresse sehen',
      own: 'Ihre E-Mail-Adresse sehen',
      short: 'Ihre E-Mail-Adresse',
      example: null,
    },
    'profiles:read': {
      long: 'Profile sehen: Namen und Kontaktdaten von Personen',
      own: 'Ihr Profil sehen: Ihren Namen und Ihre Kontaktdaten',
      short: 'Profile',
      example: 'Erika Beispiel, erika@example.org, +49 30 901820',
    },
    'reservations:read': {
      long: 'Reservierungen sehen: wer was wann gebucht hat',
      own: 'Ihre Reservierungen sehen: was Sie wann gebucht haben',
      short: 'Reservierungen',
      example: 'Liegeplatz 7, 1. Mai, 8:00 bis 18:00 Uhr',
    },
    'access-rights:read': {
      long: 'Zutrittsrechte sehen: wer was wann öffnen darf',
      own: 'Ihre Zutrittsrechte sehen: was Sie wann öffnen dürfen',
      short: 'Zutrittsrechte',
      example: 'Nordtor, Montag bis Freitag, 8:00 bis 18:00 Uhr',
    },
  },

  impossible: {
    title: (addon) => `${addon} kann keinen Zugriff erhalten`,
    none: 'Es fragt nach den Daten einer Organisation, und Sie verwalten keine, für die es aktiv ist.',
    asks: (organization) => `Es fragt nach den Daten der Organisation ${organization}.`,
    unknown: 'Eine solche Organisation gibt es hier nicht.',
    notAdministered: 'Sie verwalten sie nicht und können deshalb nicht für sie entscheiden.',
    closed: 'Sie ist geschlossen. Deshalb kann kein Add-on Zugriff auf sie erhalten.',
    notActive: 'Das Add-on ist für sie nicht aktiv.',
    whoActivates: 'Administratoren aktivieren es unter „Ihre Organisationen“.',
    nothingShared: 'Es wurde nichts weitergegeben.',
    suspended: 'Dieses Add-on ist gesperrt',
    suspendedWhy: (addon) =>
      `Der Betreiber dieses Dienstes hat ${addon} für alle gesperrt. Bis die Sperre aufgehoben wird, hat es keinen Zugriff. Es wurde nichts weitergegeben.`,
    badLink: 'Dieser Link ist ungültig',
    badLinkWhy:
      'Das Add-on, von dem Sie kommen, hat einen Fehler gemacht. Deshalb können wir Sie nicht sicher dorthin zurückschicken. Es wurde nichts weitergegeben.',
    retired: 'Dieses Add-on wird nicht mehr angeboten',
    retiredWhy:
      'Der Betreiber dieses Dienstes hat das Add-on endgültig entfernt. Es wurde nichts weitergegeben.',
    removed: 'Dieser Link ist nicht mehr gültig',
    removedWhy:
      'Die Adresse des Add-ons, von dem Sie kommen, wurde entfernt. Deshalb können wir Sie nicht dorthin zurückschicken. Es wurde nichts weitergegeben.',
    tooMany: (n) =>
      `Zu viele Anmeldeversuche über dieses Add-on. Versuchen Sie es ${seconds(n)} noch einmal.`,
    answerAgain: 'Bitte antworten Sie noch einmal',
    answerAgainWhy:
      'Das Formular war nicht vollständig. Gehen Sie zurück, wählen Sie, und senden Sie es erneut.',
  },

  provider: {
    notSignedIn: 'Sie sind nicht angemeldet',
    trouble: (provider, found, advice) =>
      `${provider} hat die Anmeldung nicht abgeschlossen. Technisch, auf Englisch: „${found}“. ${advice}`,
    advice: {
      unreachable:
        'Versuchen Sie es gleich noch einmal. Wenn das nicht hilft, sagen Sie es dem Betreiber dieses Dienstes.',
      'too-slow':
        'Versuchen Sie es gleich noch einmal. Wenn das nicht hilft, sagen Sie es dem Betreiber dieses Dienstes.',
      'invalid-answer':
        'Versuchen Sie es noch einmal. Wenn das nicht hilft, sagen Sie dem Betreiber dieses Dienstes, was hier steht.',
      'sign-in-refused':
        'Versuchen Sie es noch einmal, oder fragen Sie die Menschen, die diesen Anbieter betreiben.',
      'not-fresh': 'Melden Sie sich dort ab, und versuchen Sie es noch einmal.',
      'claims-unusable': 'Sagen Sie dem Betreiber dieses Dienstes, was hier steht.',
    },
    endedMeanwhile: (provider) =>
      `Sie wurden in diesem Moment abgemeldet, von ${provider} oder vom Betreiber dieses Dienstes.`,
    disabled: (provider) =>
      `${provider} hat Sie angemeldet, aber Ihr Konto hier ist deaktiviert. Fragen Sie den Betreiber dieses Dienstes.`,
    unknown: 'Diesen Anbieter für die Anmeldung gibt es nicht.',
    incomplete: 'Die Adresse war nicht vollständig.',
    otherBrowser: 'Diese Anmeldung wurde in einem anderen Browser begonnen oder ist abgelaufen.',
    used: 'Diese Anmeldung wurde schon verwendet oder hat zu lange gedauert.',
    otherProvider: 'Diese Anmeldung wurde mit einem anderen Anbieter begonnen.',
  },

  errors: {
    startAgain: 'Bitte beginnen Sie noch einmal',
    interaction: {
      malformed: 'Der Link oder das Formular war nicht vollständig. Es wurde nichts geändert.',
      expired: 'Das Formular ist zu alt. Es wurde nichts geändert.',
      'session-ended': 'Die Sitzung, zu der dieses Formular gehört, ist beendet. Es wurde nichts geändert.',
      'other-browser':
        'Dieses Formular wurde in einem anderen Browser geöffnet, oder sein Cookie wurde gelöscht. Es wurde nichts geändert.',
      used: 'Dieses Formular wurde schon einmal gesendet. Diesmal hat es nichts geändert.',
      'too-many-failures': 'Mit diesem Formular sind zu viele Anmeldungen fehlgeschlagen.',
    },
    tryAgain: 'Versuchen Sie es noch einmal',
    badField: (field) =>
      `Das Feld „${field}“ fehlt, wurde mehr als einmal gesendet, ist zu lang oder hat eine andere Form.`,
    repeatedField: (field, longest) =>
      `Das Feld „${field}“ wurde mehr als einmal gesendet${longest === null ? '' : ` oder hat mehr als ${longest} Zeichen`}.`,
    notFound: 'Seite nicht gefunden',
    notFoundWhy: 'Unter dieser Adresse gibt es nichts.',
    notDirectly: 'Diese Seite lässt sich nicht direkt öffnen',
    forPrograms: 'Diese Adresse ist für Programme, zum Beispiel für Add-ons.',
    formOnly: 'Sie nimmt nur das Formular einer anderen Seite an.',
    unavailable: 'Der Dienst kann gerade nicht antworten. Versuchen Sie es gleich noch einmal.',
    ourFault: 'Etwas ist schiefgegangen',
    ourFaultWhy: 'Der Fehler liegt bei uns.',
    onHold: 'Angehalten',
    onHoldWhy:
      'Ein Ereignis im Protokoll kann nicht gelesen werden. Der Zugriff ruht, bis der Betreiber dieses Dienstes das behoben hat.',
    rightMissing: 'Dem Dienst fehlt ein Recht bei seinem Ereignisspeicher, das der Betreiber erteilen muss.',
    tooLarge: 'Das Formular ist zu groß',
    tooLargeWhy: 'Kürzen Sie, was Sie eingegeben haben.',
    mediaType: 'Das Formular muss als application/x-www-form-urlencoded gesendet werden.',
    contentEncoding: 'Das Formular muss ohne Komprimierung gesendet werden.',
    transferEncoding: 'Das Formular muss als Ganzes oder in Stücken (chunked) gesendet werden.',
    expectation: 'Die Anfrage hat einen Expect-Header, der nicht unterstützt wird.',
    malformed: 'Die Anfrage kann nicht gelesen werden.',
  },

  account: {
    title: 'Ihr Konto',
    withdrawnTitle: 'Zugriff entzogen: ',
    revokedTitle: 'Widerrufen: ',
    endedTitle: 'Beendet: ',
    changedTitle: 'Geändert: ',
    addedTitle: 'Hinzugefügt: ',
    removedTitle: 'Entfernt: ',
    sessionEnded:
      'Es wurde nichts geändert: Ihre Sitzung war schon beendet, als Sie das Formular gesendet haben. Bitte noch einmal.',
    withdrawn: (addon) => `Zugriff entzogen: ${addon} kann Ihre eigenen Daten nicht mehr sehen.`,
    revoked: 'Widerrufen: Das Token ist nicht mehr gültig.',
    passwordChanged: 'Geändert: Alle anderen Sitzungen und Ihre Administrator-Token sind beendet.',
    passkeyAdded: 'Hinzugefügt: Sie können sich jetzt mit dem Passkey anmelden.',
    passkeyRemoved: 'Entfernt: Mit dem Passkey kann sich niemand mehr anmelden.',
    oneEnded: 'Beendet: Diese Sitzung ist abgemeldet.',
    othersEnded: 'Beendet: Alle anderen Sitzungen sind abgemeldet.',
    signedInAs: 'Angemeldet als',
    password: 'Passwort',
    lastChanged: 'Zuletzt geändert',
    changePassword: 'Passwort ändern',
    language: 'Sprache und Zeiten',
    changeLanguage: 'Sprache und Zeiten ändern',
    addons: 'Add-ons, die Ihre eigenen Daten sehen dürfen',
    noAddons:
      'Keine. Wenn Sie einem Add-on erlauben, Ihre eigenen Daten zu sehen, können Sie ihm den Zugriff hier wieder entziehen.',
    suspended: 'Gesperrt',
    retired: 'Nicht mehr angeboten',
    noAccess: 'Kein Zugriff auf Daten',
    sees: (what) => `Sieht ${what}`,
    allowedSince: 'Erlaubt seit',
    lastRenewed: 'Zugriff zuletzt erneuert',
    firstUsed: 'Zuerst verwendet',
    notRenewed: 'seitdem nicht erneuert',
    neverUsed: 'Nie verwendet',
    withdraw: 'Zugriff entziehen',
    withdrawOf: (addon) => `${addon} den Zugriff entziehen`,
    onlyOwn:
      'Hier stehen nur Ihre eigenen Daten. Was ein Add-on von einer Organisation sehen darf, entscheiden deren Administratoren.',
    yourOrganizations: 'Ihre Organisationen',
    chooseHome: 'Startseite wählen',
    withdrawTitle: (addon) => `${addon} den Zugriff entziehen?`,
    withdrawWhat: (addon, what) =>
      `${addon} sieht Ihre eigenen Daten dann sofort nicht mehr${what === '' ? '' : `: ${what}`}.`,
    withdrawEffects: [
      'Daten, die es schon gelesen hat, sind vielleicht weiter bei ihm gespeichert.',
      'Zugriff, den Organisationen erlaubt haben, bleibt bestehen.',
      'Es kann Sie wieder fragen, und Sie können neu entscheiden.',
    ],
    nothingToWithdraw: 'Nichts zu entziehen',
    nothingToWithdrawWhy: 'Dieses Add-on hat keinen Zugriff auf Ihre eigenen Daten.',
  },

  sessions: {
    title: 'Wo Sie angemeldet sind',
    unknownDevice: 'Unbekanntes Gerät',
    thisOne: 'Diese hier',
    signedIn: 'Angemeldet',
    lastSeen: 'Zuletzt gesehen',
    end: 'Beenden',
    endOf: (device, time) =>
      `Sitzung ${device === null ? 'eines unbekannten Geräts' : `von ${device}`} beenden, begonnen ${time}`,
    endOthers: 'Alle anderen beenden',
    latest: 'Letzte Anmeldungen',
    ended: '(beendet)',
    nothingToEnd: 'Nichts zu beenden',
    nothingToEndWhy: 'Diese Sitzung gibt es nicht, oder sie ist schon beendet.',
  },

  preferences: {
    title: 'Sprache und Zeiten',
    how: 'Für die Seiten und für E-Mails an Sie.',
    language: 'Sprache',
    byBrowser: 'Wie mein Browser es sagt',
    timeZone: 'Zeitzone der Zeiten, die Sie sehen',
    utc: 'UTC',
    save: 'Speichern',
    unknownLanguage: 'Wählen Sie eine der Sprachen aus der Liste.',
    unknownTimeZone: 'Wählen Sie eine der Zeitzonen aus der Liste, zum Beispiel Europe/Berlin.',
  },

  passwords: {
    changeTitle: 'Passwort ändern',
    changeEffect:
      'Alle anderen Sitzungen und Ihre Administrator-Token werden beendet. Diese Sitzung bleibt bestehen.',
    present: 'Jetziges Passwort',
    fresh: 'Neues Passwort',
    length: '8 bis 256 Zeichen.',
    again: 'Neues Passwort, noch einmal',
    change: 'Passwort ändern',
    chooseTitle: 'Passwort wählen',
    chooseFor: (email) => `Für ${email}. Frühere Sitzungen und Administrator-Token werden beendet.`,
    keepProviders: (providers) => `Anmeldung über ${providers} behalten`,
    keepWhy:
      'Kreuzen Sie das nur an, wenn Sie sich selbst so anmelden. Sonst öffnet diese Anmeldung das Konto nicht mehr.',
    save: 'Passwort speichern',
    wrongPresent: 'Das jetzige Passwort ist falsch.',
    differ: 'Die beiden neuen Passwörter sind verschieden.',
    badLength: 'Wählen Sie ein anderes Passwort. Es muss 8 bis 256 Zeichen haben.',
    mostUsed: 'Wählen Sie ein anderes Passwort. Dieses gehört zu den am häufigsten verwendeten.',
    tooMany: (n) => `Zu viele Versuche. Versuchen Sie es ${seconds(n)} noch einmal.`,
    saved: 'Ihr Passwort ist gespeichert',
    savedHow: 'Sie können sich jetzt damit anmelden.',
    badLink: 'Dieser Link ist ungültig oder abgelaufen',
    linkUnknown:
      'Er ist nicht vollständig oder wurde unterwegs verändert. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
    linkExpired: 'Er war 24 Stunden gültig. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
    linkUsed:
      'Er wurde verwendet oder ersetzt, oder das Konto hat sich seitdem geändert. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
  },

  passkeys: {
    title: 'Passkeys',
    none: 'Keine. Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder PIN eines Geräts an.',
    added: 'Hinzugefügt',
    lastUsed: 'Zuletzt verwendet',
    neverUsed: 'Nie verwendet',
    synced: 'Vielleicht auf mehreren Geräten',
    add: 'Passkey hinzufügen',
    rename: 'Umbenennen',
    remove: 'Entfernen',
    renameOf: (name) => `Passkey ${name} umbenennen`,
    removeOf: (name) => `Passkey ${name} entfernen`,
    renameTitle: 'Passkey umbenennen',
    name: 'Name',
    removeTitle: (name) => `Passkey ${name} entfernen?`,
    removeEffects: [
      'Danach kann sich niemand mehr damit anmelden. Andere Sitzungen, die mit ihm begonnen haben, werden beendet.',
      'Ihr Gerät bietet ihn vielleicht weiter an: Löschen Sie ihn auch dort.',
    ],
    addTitle: 'Passkey hinzufügen',
    addHow:
      'Mit einem Passkey melden Sie sich ohne Passwort an: mit Fingerabdruck, Gesicht oder PIN eines Geräts, oder mit einem Sicherheitsschlüssel. Ihr Passwort bleibt gültig.',
    nameHow: 'Damit Sie ihn wiedererkennen, zum Beispiel der Name des Geräts.',
    usualName: 'Passkey',
    needsScript:
      'Diese Seite braucht JavaScript, denn nur ein Skript kann den Browser nach einem Passkey fragen.',
    unsupported: 'Dieser Browser kann keine Passkeys verwenden.',
    exists: 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',
    failed: 'Der Browser hat keinen Passkey geliefert. Versuchen Sie es noch einmal.',
    uncheckable: 'Der Passkey konnte nicht geprüft werden. Versuchen Sie es noch einmal.',
    cannotNow: 'Ihr Konto kann im Moment keine Passkeys haben.',
    existsAlready: 'Ihr Konto hat diesen Passkey schon.',
    tooMany:
      'Sie haben 20 Passkeys, mehr sind nicht möglich. Entfernen Sie einen, den Sie nicht mehr verwenden.',
    badName: (why) => `Wählen Sie einen anderen Namen. ${why}`,
    notFound: 'Passkey nicht gefunden',
    notFoundWhy: 'Diesen Passkey gibt es nicht, oder er wurde schon entfernt.',
    notForYou: 'Keine Passkeys für dieses Konto',
    notForYouWhy:
      'Sie melden sich über den Anbieter Ihrer Organisation an. Er bestimmt, wie Sie zeigen, wer Sie sind.',
    notHere: 'Hier gibt es keine Passkeys',
    notHereWhy: (origin) =>
      `Passkeys brauchen eine Adresse mit Hostnamen und https, oder localhost. Dieser Dienst ist unter ${origin} erreichbar.`,
  },

  tokens: {
    title: 'Administrator-Token',
    what: 'Mit einem Token aktiviert und deaktiviert ein Programm für Sie Add-ons, überall, wo Sie Administrator sind. Wer dieses Token hat, kann in Ihrem Namen handeln.',
    forAll: 'Für alle Organisationen, die Sie verwalten',
    forOne: (organization) => `Für ${organization}`,
    notYours: 'eine Organisation, die Sie im Moment nicht verwalten',
    made: 'Erstellt',
    expires: 'Läuft ab',
    rightsPaused: 'Rechte von Ihrem Anmelde-Anbieter ruhen: Melden Sie sich wieder über ihn an',
    rightsUntil: (day) => `Rechte von Ihrem Anmelde-Anbieter bis ${day}, oder bis Sie sich dort abmelden`,
    revoke: 'Widerrufen',
    revokeOf: (name) => `Token ${name} widerrufen`,
    create: 'Token erstellen',
    createTitle: 'Administrator-Token erstellen',
    createHow:
      'Ein Programm kann damit für Sie Add-ons aktivieren und deaktivieren. Es gilt nur für Organisationen, die Sie zum Zeitpunkt der Verwendung verwalten, und für nichts anderes in Ihrem Konto.',
    name: 'Name',
    nameHow: 'Zum Beispiel das Programm, das es verwendet.',
    organization: 'Organisation',
    all: 'Alle, die ich verwalte, auch spätere',
    days: 'Gültigkeit in Tagen',
    daysRange: (least, most) => `${least} bis ${most}.`,
    copyTitle: 'Kopieren Sie Ihr Token',
    yours: (name) => `Ihr Token ${name}`,
    copyNow: 'Kopieren Sie es jetzt: Es wird nur einmal angezeigt.',
    expiresAt: (day) =>
      `Es läuft am ${day} ab. Wer dieses Token hat, kann in Ihrem Namen handeln: Bewahren Sie es dort auf, wo Sie Passwörter aufbewahren, und widerrufen Sie es, wenn es nicht mehr gebraucht wird.`,
    pauses:
      'Rechte, die Ihnen Ihr Anmelde-Anbieter gibt, ruhen, wenn Sie sich dort abmelden, und wenn Sie sich eine Zeit lang, die Ihr Konto anzeigt, nicht über ihn angemeldet haben. Mit der nächsten Anmeldung sind sie wieder da.',
    howSent: 'Wie ein Programm es sendet',
    revokeTitle: (name) => `Token ${name} widerrufen?`,
    revokeWhat: (name) => `Programme, die ${name} verwenden, verlieren sofort den Zugriff.`,
    revokeEffects: [
      'Aktivierungen und Deaktivierungen, die sie vorgenommen haben, bleiben bestehen.',
      'Das lässt sich nicht rückgängig machen. Sie können ein neues Token erstellen.',
    ],
    nothingToAdminister: 'Nichts zu verwalten',
    nothingToAdministerWhy: (email) =>
      `Token sind für Administratoren von Organisationen. Sie sind als ${email} angemeldet.`,
    nothingToRevoke: 'Nichts zu widerrufen',
    nothingToRevokeWhy: 'Dieses Token gibt es nicht, oder es wurde schon widerrufen.',
    chooseFor: 'Wählen Sie, wofür das Token gilt.',
    badName: (why) => `Geben Sie dem Token einen Namen. ${why}`,
    badDays: (least, most) => `Wählen Sie eine Zahl von Tagen zwischen ${least} und ${most}.`,
    nameTaken:
      'Sie haben schon ein Token mit diesem Namen. Wählen Sie einen anderen, oder widerrufen Sie das alte.',
    tooMany: (most) =>
      `Sie haben ${most} Token, mehr sind nicht möglich. Widerrufen Sie eines, das nicht mehr gebraucht wird.`,
    tooManyToday: (most) =>
      `Sie haben an einem Tag ${most} Token erstellt, mehr sind nicht möglich. Versuchen Sie es morgen noch einmal.`,
    notAdministered: 'Diese Organisation verwalten Sie nicht. Wählen Sie eine andere.',
    cannotNow: 'Ihr Konto kann im Moment keine Token haben.',
  },

  home: {},

  admin: {},

  commandLine: {},

  operator: {},

  auditLog: {},

  publisher: {
    title: 'Ihre Add-ons',
    none: 'Es gibt noch kein Add-on. Das erste registriert der Betrieb dieses Dienstes für Ihren Anbieter.',
    howToConnect: 'So verbindet sich ein Add-on',
    later: 'Weitere Add-ons',
    name: 'Name',
    publisher: 'Anbieter',
    status: 'Status',
    inUse: 'in Betrieb',
    suspended: 'gesperrt',
    retired: 'eingestellt',
    registration: 'Registrierung',
    clientId: 'Client-ID',
    redirectUris: 'Redirect-URIs',
    afterSignOut: 'Nach dem Abmelden',
    scopes: 'Scopes',
    nothing: 'keine Angabe',
    organizations: 'Organisationen, in denen es aktiv ist',
    organizationId: 'ID der Organisation',
    since: 'Seit',
    activeIn: (all, hidden) =>
      hidden === 0
        ? `${count(all, { one: 'Organisation', other: 'Organisationen' })}.`
        : `${count(all, { one: 'Organisation', other: 'Organisationen' })}, davon ${hidden} ohne Angabe des Namens.`,
    noOrganization:
      'Noch in keiner Organisation aktiv. Aktiviert wird es von der Administration einer Organisation auf deren Seite.',
    secrets: 'Client-Secrets',
    added: 'Hinzugefügt',
    removeSecret: 'Dieses Client-Secret entfernen',
    addSecret: 'Client-Secret hinzufügen',
    noSecret: 'Noch kein Client-Secret. Fügen Sie hier das erste hinzu.',
    public: 'Ein öffentliches Add-on hat keines.',
    newSecret: 'Das neue Client-Secret',
    copyNow:
      'Kopieren Sie es jetzt: Es wird nicht noch einmal angezeigt. Die anderen gelten weiter, bis Sie sie entfernen.',
    done: 'Fertig',
    changes: 'Änderungen',
    proposed: 'Vorgeschlagen',
    states: {
      waiting: 'wartet',
      approved: 'genehmigt',
      refused: 'abgelehnt',
      withdrawn: 'zurückgezogen',
    },
    noChange:
      'Noch keine Änderung vorgeschlagen. Füllen Sie aus, was sich ändern soll, und schlagen Sie die erste vor.',
    withdraw: 'Zurückziehen',
    propose: 'Änderung vorschlagen',
    onePerLine: (hint) => `${hint}; eine pro Zeile`,
    fields: {
      add_redirect_uri: {
        title: 'Redirect-URIs hinzufügen',
        hint: 'weitere Adressen, an die Codes gesendet werden dürfen',
      },
      remove_redirect_uri: {
        title: 'Redirect-URIs entfernen',
        hint: 'dorthin wird kein Code mehr gesendet',
      },
      configuration_url: {
        title: 'Konfigurationsadresse',
        hint: 'wohin es nach dem Aktivieren weitergeht',
      },
      add_post_logout_redirect_uri: {
        title: 'Adressen nach dem Abmelden hinzufügen',
        hint: 'wohin das Abmelden führen darf',
      },
      remove_post_logout_redirect_uri: {
        title: 'Adressen nach dem Abmelden entfernen',
        hint: 'wohin es nicht mehr führen darf',
      },
      website: { title: 'Website', hint: 'https-Adresse' },
      privacy_url: { title: 'Datenschutzerklärung', hint: 'https-Adresse' },
      support_url: { title: 'Hilfe', hint: 'https-Adresse' },
      after: {
        title: 'Position des Ereignisses vor dem ersten, das noch einmal angeboten wird',
        hint: 'commit/prepare, zum Beispiel 4711/4711',
      },
    },
    signals: 'Signale',
    noStream:
      'Noch keine Signale eingerichtet. Das Add-on richtet sie über die API ein, oder der Betrieb tut es.',
    method: 'Zustellung',
    methods: { poll: 'Abruf (poll)', push: 'Versand (push)' },
    statuses: { enabled: 'aktiv', paused: 'angehalten', disabled: 'ausgeschaltet', deleted: 'gelöscht' },
    waiting: 'Wartend',
    lastError: 'Letzter Fehler',
    failingSince: 'Gestört seit',
    works: 'keine Störung',
    test: 'Prüfereignis senden',
    replay: 'Signale noch einmal anbieten',
    usage: 'Die letzten 30 Tage',
    noUsage: 'Noch nichts gezählt. Gezählt wird ab dem ersten Token des Add-ons.',
    tokens: 'Ausgestellte Token',
    requests: 'Seiten von Listen',
    refusalsOf: 'Ablehnungen',
    request: 'Anfrage',
    limits: 'Erreichte Grenzen',
    noAccess: 'Kein Zugriff',
    membersOnly: 'Diese Seite ist nur für Mitglieder eines Anbieters.',
    notFound: 'Add-on nicht gefunden',
    notFoundWhy: 'Unter dieser Adresse gibt es keines Ihrer Add-ons.',
    nothingDone: 'Nichts wurde geändert',
    theAddon: 'Zum Add-on',
    wrong: (fields) => `Diese Angaben sind nicht möglich: ${fields}.`,
    tooOften: (time) => `Das geschah zu oft. Wieder möglich: ${time}.`,
    refusals: {
      'addon-retired': 'Das Add-on wurde eingestellt.',
      'addon-public': 'Das Add-on ist öffentlich: Nur vertrauliche haben Client-Secrets.',
      'change-empty': 'Es würde sich nichts ändern: Füllen Sie mindestens ein Feld aus.',
      'change-invalid': 'So kann das Add-on nicht geändert werden.',
      'too-many-changes': 'Zu viele Änderungen warten auf den Betrieb: Ziehen Sie zuerst eine zurück.',
      'too-many-secrets':
        'Das Add-on hat die größte mögliche Zahl von Client-Secrets: Entfernen Sie zuerst eines.',
      'secret-unknown': 'Dieses Client-Secret hat das Add-on nicht.',
      'last-secret': 'Es ist das letzte Client-Secret des Add-ons: Fügen Sie zuerst ein anderes hinzu.',
      'change-unknown': 'Diese Änderung gibt es nicht.',
      'change-decided': 'Die Änderung wartet nicht mehr: Sie wurde genehmigt, abgelehnt oder zurückgezogen.',
      'change-outdated': 'Die Änderung passt nicht mehr zum Add-on.',
      'signals-unknown': 'Das Add-on hat keine Signale eingerichtet.',
      'addon-unknown': 'Unter dieser Adresse gibt es keines Ihrer Add-ons.',
    },
  },

  names: {
    empty: 'Er darf nicht leer sein.',
    long: 'Er darf höchstens 100 Zeichen haben.',
    lines: 'Er muss in einer Zeile stehen und darf keine Steuerzeichen enthalten.',
    invisible:
      'Er darf keine unsichtbaren Zeichen und keine Zeichen enthalten, die die Schreibrichtung ändern.',
    other: 'Er ist so nicht zulässig.',
  },

  mail: {
    hello: (name) => `Guten Tag ${name},`,
    invitationSubject: (host) => `Ihr Konto bei ${host}`,
    invitation: (host) => `Sie haben ein Konto bei ${host}. Wählen Sie ein Passwort, um sich anzumelden.`,
    invitationWhy: (host) =>
      `Sie erhalten diese E-Mail, weil die Betreiber von ${host} für diese Adresse ein Konto angelegt haben.`,
    invitationUnexpected:
      'Wenn Sie diese E-Mail nicht erwartet haben, tun Sie nichts: Ohne den Link kann niemand das Konto verwenden.',
    resetSubject: (host) => `Neues Passwort für ${host}`,
    reset: (host) =>
      `Jemand, der ${host} verwaltet, hat für Ihr Konto ein neues Passwort angefordert. Wählen Sie eines, um sich anzumelden.`,
    forgot: (host) =>
      `Jemand, wahrscheinlich Sie selbst, hat für Ihr Konto bei ${host} ein neues Passwort angefordert. Wählen Sie eines, um sich anzumelden.`,
    resetWhy: (host) => `Sie erhalten diese E-Mail, weil es für diese Adresse ein Konto bei ${host} gibt.`,
    resetUnexpected:
      'Wenn Sie diese E-Mail nicht erwartet haben, tun Sie nichts: Ihr Passwort bleibt, wie es ist.',
    button: 'Passwort wählen',
    once: (until) => `Der Link funktioniert einmal, bis ${until}. Niemand wird Sie je danach fragen.`,
  },
};
