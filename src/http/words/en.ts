import type { Scope } from '../../domain/access/scope.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import type { InteractionRefused, ProviderTroubleKind, ScopeWords, WhyNot } from './kinds.ts';
import { countIn } from './plural.ts';

const count = countIn('en-GB');
const seconds = (n: number) => (n === 1 ? 'a second' : count(n, { one: 'second', other: 'seconds' }));

/** About one's own records, and an example of each. */
const more = {
  'profiles:read': {
    own: 'See your profile: your name and contact details',
    example: 'Ada Example, ada@example.org, +44 20 7946 0000',
  },
  'reservations:read': {
    own: 'See your reservations: what you booked, and when',
    example: 'Berth 7, 1 May, 8:00 to 18:00',
  },
  'access-rights:read': {
    own: 'See your access rights: what you may open, and when',
    example: 'North gate, Monday to Friday, 8:00 to 18:00',
  },
};

/**
 * Every text of the pages and mails in English. The other languages have the same entries (`Words`), or do not compile.
 * Names in a sentence are marked by the caller (`markName`), so that a page isolates them.
 */
export const en = {
  /** Of `<html lang>` and of BCP 47 lookups. */
  tag: 'en',
  /** For `Intl`. */
  locale: 'en-GB',
  /** In its own language. */
  name: 'English',

  frame: {
    error: 'Error: ',
    skip: 'Skip to the content',
    service: 'Service',
    menu: 'Menu',
    way: 'Breadcrumb',
    areasOf: 'Areas',
    areas: {
      account: 'Your account',
      organizations: 'Organizations',
      audit: 'Audit log',
      publisher: 'Publisher',
      operator: 'Operator',
      docs: 'API reference',
    },
    links: { support: 'Support', terms: 'Terms', privacy: 'Privacy', docs: 'API reference' },
    account: 'Your account',
    accountArea: 'Account',
    organizations: 'Your organizations',
    audit: 'Audit logs',
    operator: 'Operator',
    start: 'Start page',
    signIn: 'Sign in',
    signOut: 'Sign out',
    cancel: 'Cancel',
    keep: 'Keep it',
    stay: 'Stay',
    tryAgain: 'Try again',
    forDeveloper: 'For the developer:',
    reference: 'Reference:',
    backTo: (host: string) => `Back to ${host}`,
    continueTo: (host: string) => `Continue to ${host}`,
    continueToAddon: 'Continue to the add-on',
    openAgain: 'Open the page again',
    signedInAs: (name: string) => `You are signed in as ${name}.`,
    addonsKeepWorking: 'Add-ons that you allowed keep working.',
    notYou: 'Not you?',
  },

  /** Of lists, facts and forms. */
  parts: {
    change: 'Change',
    pages: 'Pages',
    rangeOf: (range: string, count: string, isMore: boolean) =>
      `${range} of ${isMore ? `more than ${count}` : count}`,
    first: 'First',
    previous: 'Previous',
    next: 'Next',
  },

  times: {
    todayShort: (time: string) => `today ${time}`,
    today: (time: string) => `today at ${time}`,
    yesterday: (time: string) => `yesterday at ${time}`,
    moment: (day: string, time: string) => `${day} at ${time}`,
  },

  signIn: {
    title: 'Sign in',
    failed: 'Error: Sign in',
    toContinueTo: (addon: string) => `to continue to ${addon}`,
    again: 'Before you change how you sign in, sign in once more.',
    anotherAccount: (name: string, addon: string) =>
      `You are signed in as ${name}, but ${addon} asks for another account.`,
    tooMany: (n: number) =>
      `Too many attempts to sign in. Try again in ${count(n, { one: 'second', other: 'seconds' })}.`,
    wrong: 'Wrong e-mail address or password.',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    withPasskey: 'Sign in with a passkey',
    withProvider: (provider: string) => `Sign in with ${provider}`,
    passkeyTitle: 'Sign in with a passkey',
    passkeyHow: 'Your browser asks for the passkey, and your device for your fingerprint, face or PIN.',
    usePasskey: 'Use a passkey',
    usePassword: 'Use a password',
    tooManyNow: 'Too many people are signing in at this moment. Try again in a few seconds.',
    passwordsOff: 'Passwords and passkeys are switched off',
    passwordsOffHow: 'Sign in with a provider of your organization instead.',
    later: 'Try again later',
    laterIn: (n: number) => `Too many attempts to sign in. Try again in ${seconds(n)}.`,
    busy: 'Try again.',
    copiedPasskey:
      'This passkey may have been copied: it was used by another device. Sign in with your password, remove it, and add a new one.',
    wrongPasskey: 'This passkey does not sign you in here. Use another one, or your password.',
  },

  forgot: {
    title: 'Forgot your password?',
    how: 'Enter the e-mail address of your account. You get a mail with a link to choose a new password.',
    submit: 'Send the link',
    sentTitle: 'Look into your mailbox',
    sent: (email: string) =>
      `If ${email} belongs to an account with a password, a mail with a link is on its way. The link is valid for 24 hours.`,
    sentNot: 'No mail? Look into the folder for spam, or ask the operator of this service.',
    ask: 'This service cannot send mails. Ask the people who run it for a link to choose a new password.',
    back: 'Back to sign-in',
    malformed: 'This is no e-mail address.',
  },

  signOut: {
    title: 'Sign out',
    question: 'Sign out?',
    done: 'You are signed out',
    askedBy: (addon: string) => `${addon} asks to sign you out.`,
    sentTo: (host: string) => `You will be sent to ${host}.`,
    mistake: 'The add-on that sent you here made a mistake, so you cannot be sent back to it safely.',
    repeatedState: 'The address has the parameter "state" more than once.',
  },

  approve: {
    title: (addon: string) => `Allow ${addon}?`,
    wantsRecords: (addon: string) => `${addon} wants to read records. Choose whose.`,
    wantsOwn: (addon: string, name: string) => `${addon} wants to read your own records, those of ${name}.`,
    wantsOrganization: (addon: string, organization: string) =>
      `${addon} wants to read the records of ${organization}, the whole organization.`,
    wantsIdentity: (addon: string) => `${addon} wants to know who you are.`,
    wantsNothing: (addon: string) => `${addon} wants to be connected.`,
    by: (publisher: string) => `by ${publisher}`,
    registeredSince: (day: string) => `Registered here since ${day}`,
    website: 'Website',
    privacy: 'Privacy',
    support: 'Support',
    whose: 'Whose records may it read?',
    forWhom: 'For whom is it connected?',
    justMine: 'Just my records, in all my organizations',
    wholeOrganization: 'The whole organization',
    justActivated: 'You have just activated it here',
    allBefore: 'You allowed all of this before',
    moreThanBefore: 'It asks for more than you allowed before. What is new is marked.',
    isNew: 'New',
    notOffered: (names: string, more: number) =>
      `Not offered: ${names}${more > 0 ? ` and ${count(more, { other: 'more' })}` : ''}.`,
    activateThere: 'The add-on is not activated there; you can activate it under “Your organizations”.',
    cannotBeActivated: 'The add-on has no configuration URL, so it cannot be activated for an organization.',
    noAccess: 'It gets no access to records.',
    able: 'It will be able to',
    whoYouAre: 'Who you are',
    records: 'Records',
    forExample: (example: string) => `For example: ${example}`,
    never: 'It will never be able to',
    neverList: ['See your password', 'Change or delete anything here', 'See more than is listed above'],
    where: 'Where it may use this',
    here: 'In this marketplace',
    howLong: 'How long',
    unlessUsed: (unused: string, most: string) =>
      `Until somebody ends it, for ${most} at most. It ends by itself when it is not used for ${unused}.`,
    atMost: (most: string) => `Until somebody ends it, for ${most} at most.`,
    provider: (addon: string) => `The provider of ${addon} will see this data.`,
    endedByYou: 'You end it under “Your account”, at once.',
    endedByAdministrators:
      'For an organization, its administrators end it under “Your organizations”, at once.',
    next: (host: string) => `Next you will be sent to ${host}.`,
    allow: 'Allow',
    deny: 'Do not allow',
    signedInAs: (name: string) => `Signed in as ${name}`,
  },

  scopes: {
    openid: {
      long: 'Recognize you: an identifier of your account',
      own: 'Recognize you: an identifier of your account',
      short: 'an identifier of your account',
      example: null,
    },
    profile: { long: 'See your name', own: 'See your name', short: 'your name', example: null },
    email: {
      long: 'See your e-mail address',
      own: 'See your e-mail address',
      short: 'your e-mail address',
      example: null,
    },
    ...eachRecord('scope', ({ scope, words: { many, consent } }) => {
      const long = `See ${many}: ${consent}`;
      return {
        long,
        own: long,
        short: many,
        example: null,
        ...(more as Readonly<Record<string, object>>)[scope],
      };
    }),
  } satisfies Record<Scope, ScopeWords> as Readonly<Record<Scope, ScopeWords>>,

  impossible: {
    title: (addon: string) => `${addon} cannot get access`,
    none: 'It asks for the records of an organization, and you administer none for which it is active.',
    asks: (organization: string) => `It asks for the records of the organization ${organization}.`,
    unknown: 'There is no such organization here.',
    notAdministered: 'You do not administer it, so you cannot decide for it.',
    closed: 'It is closed, so no add-on can get access to it.',
    notActive: 'The add-on is not active for it.',
    whoActivates: 'Administrators activate it under “Your organizations”.',
    nothingShared: 'Nothing was shared.',
    suspended: 'This add-on is suspended',
    suspendedWhy: (addon: string) =>
      `The operator of this service has suspended ${addon} for all users. Until the suspension is lifted, it has no access. Nothing was shared.`,
    badLink: 'This link is invalid',
    badLinkWhy:
      'The add-on that sent you here made a mistake, so you cannot be sent back to it safely. Nothing was shared.',
    retired: 'This add-on is retired',
    retiredWhy: 'The operator of this service has retired the add-on. Nothing was shared.',
    removed: 'This link is no longer valid',
    removedWhy:
      'The address of the add-on that sent you here was removed, so you cannot be sent back to it. Nothing was shared.',
    tooMany: (n: number) => `Too many sign-in attempts from this add-on. Try again in ${seconds(n)}.`,
    answerAgain: 'Answer again',
    answerAgainWhy: 'The form was not complete. Go back, choose, and send it once more.',
  },

  provider: {
    notSignedIn: 'You are not signed in',
    trouble: (provider: string, found: string, advice: string) =>
      `${provider} did not complete the sign-in: ${found}. ${advice}`,
    advice: {
      unreachable: 'Try again in a moment. If it does not help, tell the operator of this service.',
      'too-slow': 'Try again in a moment. If it does not help, tell the operator of this service.',
      'invalid-answer':
        'Try again. If it does not help, tell the operator of this service what is written here.',
      'sign-in-refused': 'Try again, or ask the people who run that provider.',
      'not-fresh': 'Sign out there, and try again.',
      'claims-unusable': 'Tell the operator of this service what is written here.',
    } satisfies Record<ProviderTroubleKind, string> as Readonly<Record<ProviderTroubleKind, string>>,
    endedMeanwhile: (provider: string) =>
      `You were signed out at this moment, by ${provider} or by the operator of this service.`,
    disabled: (provider: string) =>
      `${provider} signed you in, but your account here is disabled. Ask the operator of this service.`,
    unknown: 'Sign-in provider not found.',
    incomplete: 'The address was not complete.',
    otherBrowser: 'This sign-in was started in another browser or has expired.',
    used: 'This sign-in has been used before, or took too long.',
    otherProvider: 'This sign-in was begun with another provider.',
  },

  errors: {
    startAgain: 'Start again',
    interaction: {
      malformed: 'The link or the form was not complete. Nothing was changed.',
      expired: 'The form is too old. Nothing was changed.',
      'session-ended': 'The session of this form has ended. Nothing was changed.',
      'other-browser':
        'This form was opened in another browser, or its cookie was deleted. Nothing was changed.',
      used: 'This form has been sent before. What was sent now changed nothing.',
      'too-many-failures': 'Too many sign-ins failed with this form.',
    } satisfies Record<InteractionRefused, string> as Readonly<Record<InteractionRefused, string>>,
    tryAgain: 'Try again',
    badField: (field: string) =>
      `The field "${field}" is missing, was sent more than once, is too long or has another form.`,
    repeatedField: (field: string, longest: number | null) =>
      `The field "${field}" was sent more than once${longest === null ? '' : ` or has more than ${longest} characters`}.`,
    notFound: 'Page not found',
    notFoundWhy: 'There is nothing at this address.',
    notDirectly: 'This page can’t be opened directly',
    forPrograms: 'This address is for programs, such as add-ons.',
    formOnly: 'It only accepts a form from another page.',
    unavailable: 'The service cannot answer now. Try again in a moment.',
    ourFault: 'Something went wrong',
    ourFaultWhy: 'The fault is on our side.',
    onHold: 'On hold',
    onHoldWhy:
      'An event in the log cannot be read. Access is on hold until the operator of this service has resolved this.',
    rightMissing: 'The service lacks a right at its event store, which its operator has to grant.',
    tooLarge: 'The form is too large',
    tooLargeWhy: 'Shorten what you entered.',
    mediaType: 'The form must be sent as application/x-www-form-urlencoded.',
    contentEncoding: 'The form must be sent without compression.',
    transferEncoding: 'The form must be sent as a whole or in chunks.',
    expectation: 'The request has an Expect header that is not supported.',
    malformed: 'The request cannot be read.',
  },

  account: {
    title: 'Your account',
    withdrawnTitle: 'Withdrawn: ',
    revokedTitle: 'Revoked: ',
    endedTitle: 'Ended: ',
    changedTitle: 'Changed: ',
    addedTitle: 'Added: ',
    removedTitle: 'Removed: ',
    sessionEnded: 'Nothing was changed: your session had ended when you sent the form. Do it again.',
    withdrawn: (addon: string) => `Withdrawn: ${addon} can no longer see your own records.`,
    revoked: 'Revoked: the token is no longer valid.',
    passwordChanged: 'Changed: all other sessions and your administrator tokens ended.',
    passkeyAdded: 'Added: you can sign in with the passkey now.',
    passkeyRemoved: 'Removed: the passkey no longer signs you in.',
    oneEnded: 'Ended: that session is signed out.',
    othersEnded: 'Ended: all other sessions are signed out.',
    signedInAs: 'Signed in as',
    password: 'Password',
    lastChanged: 'Last changed',
    changePassword: 'Change password',
    language: 'Language and times',
    changeLanguage: 'Change language and times',
    addons: 'Add-ons that may see your own records',
    noAddons: 'None. When you allow an add-on to see your own records, you can withdraw the access here.',
    suspended: 'Suspended',
    retired: 'Retired',
    noAccess: 'No access to records',
    sees: (what: string) => `Sees ${what}`,
    allowedSince: 'Allowed since',
    lastRenewed: 'Access last renewed',
    firstUsed: 'First used',
    notRenewed: 'not renewed since',
    neverUsed: 'Never used',
    withdraw: 'Withdraw',
    withdrawOf: (addon: string) => `Withdraw the access of ${addon}`,
    onlyOwn:
      'Only your own records are listed here. What an add-on may see of an organization is decided by its administrators.',
    yourOrganizations: 'Your organizations',
    chooseHome: 'Choose your start page',
    withdrawTitle: (addon: string) => `Withdraw the access of ${addon}?`,
    withdrawWhat: (addon: string, what: string) =>
      `${addon} will at once no longer see your own records${what === '' ? '' : `: ${what}`}.`,
    withdrawEffects: [
      'Data that it has already read may still be stored by it.',
      'Access that organizations gave continues.',
      'It can ask you again, and you can decide again.',
    ],
    nothingToWithdraw: 'Nothing to withdraw',
    nothingToWithdrawWhy: 'This add-on has no access to your own records.',
  },

  sessions: {
    title: 'Where you are signed in',
    unknownDevice: 'Unknown device',
    thisOne: 'This one',
    signedIn: 'Signed in',
    lastSeen: 'Last seen',
    end: 'End',
    endOf: (device: string | null, time: string) =>
      `End the session of ${device ?? 'an unknown device'} of ${time}`,
    endOthers: 'End all others',
    latest: 'Latest sign-ins',
    ended: '(ended)',
    nothingToEnd: 'Nothing to end',
    nothingToEndWhy: 'This session does not exist, or has already ended.',
  },

  preferences: {
    title: 'Language and times',
    how: 'For the pages and for mails to you.',
    language: 'Language',
    byBrowser: 'As my browser says',
    timeZone: 'Time zone of the times that you see',
    utc: 'UTC',
    save: 'Save',
    unknownLanguage: 'Choose one of the languages of the list.',
    unknownTimeZone: 'Choose one of the time zones of the list, such as Europe/Berlin.',
  },

  passwords: {
    changeTitle: 'Change your password',
    changeEffect: 'All your other sessions and your administrator tokens end; this session stays.',
    present: 'Present password',
    fresh: 'New password',
    length: '8 to 256 characters.',
    again: 'New password, once more',
    change: 'Change password',
    chooseTitle: 'Choose a password',
    chooseFor: (email: string) => `For ${email}. Sessions and administrator tokens from before end.`,
    keepProviders: (providers: string) => `Keep signing in with ${providers}`,
    keepWhy:
      'Tick this only if you sign in that way yourself. Otherwise that sign-in no longer opens the account.',
    save: 'Save password',
    wrongPresent: 'The present password is wrong.',
    differ: 'The two new passwords differ.',
    badLength: 'Choose another password. It must have 8 to 256 characters.',
    mostUsed: 'Choose another password. It must not be one of the passwords that are used most.',
    tooMany: (n: number) =>
      `Too many attempts. Try again in ${count(n, { one: 'second', other: 'seconds' })}.`,
    saved: 'Your password is saved',
    savedHow: 'You can sign in with it now.',
    badLink: 'This link is invalid or has expired',
    linkUnknown:
      'It is not complete, or was changed on the way. Ask the person who sent it to you for another one.',
    linkExpired: 'It was valid for 24 hours. Ask the person who sent it to you for another one.',
    linkUsed:
      'It has been used or replaced, or the account has changed since. Ask the person who sent it to you for another one.',
  },

  passkeys: {
    title: 'Passkeys',
    none: 'None. A passkey signs you in with the fingerprint, face or PIN of a device.',
    added: 'Added',
    lastUsed: 'Last used',
    neverUsed: 'Never used',
    synced: 'May be on several devices',
    add: 'Add passkey',
    rename: 'Rename',
    remove: 'Remove',
    renameOf: (name: string) => `Rename the passkey ${name}`,
    removeOf: (name: string) => `Remove the passkey ${name}`,
    renameTitle: 'Rename a passkey',
    name: 'Name',
    removeTitle: (name: string) => `Remove the passkey ${name}?`,
    removeEffects: [
      'It no longer signs you in. Other sessions that began with it end.',
      'Your device may still offer it: delete it there, too.',
    ],
    addTitle: 'Add a passkey',
    addHow:
      'A passkey signs you in without a password: with the fingerprint, face or PIN of a device, or with a security key. Your password stays valid.',
    nameHow: 'So that you recognize it, for example the name of the device.',
    usualName: 'Passkey',
    needsScript: 'This page needs JavaScript, because only a script can ask the browser for a passkey.',
    unsupported: 'This browser cannot use passkeys.',
    exists: 'This device already has a passkey for your account.',
    failed: 'The browser gave no passkey. Try again.',
    uncheckable: 'The passkey could not be checked. Try again.',
    cannotNow: 'Your account cannot have passkeys now.',
    existsAlready: 'Your account already has this passkey.',
    tooMany: 'You have 20 passkeys, which is the maximum. Remove one that you no longer use.',
    badName: (why: string) => `Choose another name. ${why}`,
    notFound: 'Passkey not found',
    notFoundWhy: 'This passkey does not exist, or was already removed.',
    notForYou: 'No passkeys for this account',
    notForYouWhy: 'You sign in with your organization’s provider. It decides how you prove who you are.',
    notHere: 'No passkeys here',
    notHereWhy: (origin: string) =>
      `Passkeys need an address with a host name and https, or localhost. This service is at ${origin}.`,
  },

  tokens: {
    title: 'Administrator tokens',
    what: 'With a token a program activates and deactivates add-ons for you, wherever you are an administrator. Anyone with this token can act as you.',
    forAll: 'For all organizations that you administer',
    forOne: (organization: string) => `For ${organization}`,
    notYours: 'an organization that you do not administer now',
    made: 'Made',
    expires: 'Expires',
    rightsPaused: 'Rights from your sign-in provider are paused: sign in with it again',
    rightsUntil: (day: string) =>
      `Rights from your sign-in provider until ${day}, or until you sign out there`,
    revoke: 'Revoke',
    revokeOf: (name: string) => `Revoke the token ${name}`,
    create: 'Create token',
    createTitle: 'Create an administrator token',
    createHow:
      'A program can use it to activate and deactivate add-ons for you. It is valid only for organizations that you administer at the time of use, and for nothing else in your account.',
    name: 'Name',
    nameHow: 'For example, the program that uses it.',
    organization: 'Organization',
    all: 'All that I administer, including later ones',
    days: 'Days until it expires',
    daysRange: (least: number, most: number) => `${least} to ${most}.`,
    copyTitle: 'Copy your token',
    yours: (name: string) => `Your token ${name}`,
    copyNow: 'Copy it now: it is shown only once.',
    expiresAt: (day: string) =>
      `It expires ${day}. Anyone with this token can act as you: keep it where you keep passwords, and revoke it when it is no longer needed.`,
    pauses:
      'Rights that your sign-in provider gives you pause when you sign out there, and when you have not signed in with it for a time that your account shows; the next sign-in brings them back.',
    howSent: 'How a program sends it',
    revokeTitle: (name: string) => `Revoke the token ${name}?`,
    revokeWhat: (name: string) => `Programs that use ${name} lose access at once.`,
    revokeEffects: [
      'Activations and deactivations that they made stay in effect.',
      'This cannot be undone; you can create a new token.',
    ],
    nothingToAdminister: 'Nothing to administer',
    nothingToAdministerWhy: (email: string) =>
      `Tokens are for administrators of organizations. You are signed in as ${email}.`,
    nothingToRevoke: 'Nothing to revoke',
    nothingToRevokeWhy: 'This token does not exist, or was already revoked.',
    chooseFor: 'Choose what the token is for.',
    badName: (why: string) => `Give the token a name. ${why}`,
    badDays: (least: number, most: number) => `Choose a number of days from ${least} to ${most}.`,
    nameTaken: 'You have a token of this name. Choose another, or revoke that one.',
    tooMany: (most: number) =>
      `You have ${most} tokens, which is the maximum. Revoke one that is no longer needed.`,
    tooManyToday: (most: number) =>
      `You have created ${most} tokens within a day, which is the maximum. Try again tomorrow.`,
    notAdministered: 'You do not administer this organization. Choose another.',
    cannotNow: 'Your account cannot have tokens now.',
  },

  /** Where one starts who has several roles. */
  home: {},

  /** Pages of administrators. */
  admin: {},

  /** The page that allows a command line to act for somebody. */
  commandLine: {},

  /** Pages of operators. */
  operator: {},

  /** The audit log, for auditors and administrators. */
  auditLog: {},

  /** Pages of publishers. */
  publisher: {
    title: 'Your add-ons',
    none: 'There is no add-on yet. An operator of this service registers the first one for your publisher.',
    howToConnect: 'How an add-on connects',
    later: 'Later add-ons',
    name: 'Name',
    publisher: 'Publisher',
    status: 'Status',
    inUse: 'in use',
    suspended: 'suspended',
    retired: 'retired',
    registration: 'Registration',
    clientId: 'Client id',
    redirectUris: 'Redirect URIs',
    afterSignOut: 'After a sign-out',
    scopes: 'Scopes',
    nothing: 'none',
    organizations: 'Organizations that have it active',
    organizationId: 'Organization id',
    since: 'Since',
    activeIn: (all: number, hidden: number) =>
      hidden === 0
        ? `${count(all, { one: 'organization', other: 'organizations' })}.`
        : `${count(all, { one: 'organization', other: 'organizations' })}, of which ${hidden} do not show their name.`,
    noOrganization:
      'No organization has it active yet. An administrator of an organization activates it on the page of the organization.',
    secrets: 'Client secrets',
    added: 'Added',
    removeSecret: 'Remove this secret',
    addSecret: 'Add a secret',
    noSecret: 'There is no secret yet. Add the first one here.',
    public: 'A public add-on has none.',
    newSecret: 'The new secret',
    copyNow: 'Copy it now: it is not shown again. The other secrets stay valid until you remove them.',
    done: 'Done',
    changes: 'Changes',
    proposed: 'Proposed',
    states: { waiting: 'waiting', approved: 'approved', refused: 'refused', withdrawn: 'withdrawn' },
    noChange: 'No change was proposed yet. Fill in what is to change, and propose the first one.',
    withdraw: 'Withdraw',
    propose: 'Propose the change',
    onePerLine: (hint: string) => `${hint}; one a line`,
    fields: {
      add_redirect_uri: { title: 'Add redirect URIs', hint: 'other addresses that codes may be sent to' },
      remove_redirect_uri: { title: 'Remove redirect URIs', hint: 'no code is sent there any more' },
      configuration_url: {
        title: 'Configuration URL',
        hint: 'where an administrator is sent after activating',
      },
      add_post_logout_redirect_uri: {
        title: 'Add addresses after a sign-out',
        hint: 'where a sign-out may lead',
      },
      remove_post_logout_redirect_uri: {
        title: 'Remove addresses after a sign-out',
        hint: 'no longer from there',
      },
      website: { title: 'Website', hint: 'https address' },
      privacy_url: { title: 'Privacy statement', hint: 'https address' },
      support_url: { title: 'Support', hint: 'https address' },
      after: {
        title: 'Position of the event before the first one that is offered again',
        hint: 'commit/prepare, for example 4711/4711',
      },
    },
    signals: 'Signals',
    noStream: 'There is no signal stream yet. The add-on creates it over the API, or an operator does.',
    method: 'Method',
    methods: { poll: 'poll', push: 'push' },
    statuses: { enabled: 'enabled', paused: 'paused', disabled: 'disabled', deleted: 'deleted' },
    waiting: 'Waiting',
    lastError: 'Last error',
    failingSince: 'Failing since',
    works: 'it works',
    test: 'Send a verification event',
    replay: 'Offer signals again',
    usage: 'The last 30 days',
    noUsage: 'Nothing was counted yet. Counting begins with the first token of the add-on.',
    tokens: 'Tokens issued',
    requests: 'Pages of lists',
    refusalsOf: 'Refusals',
    request: 'request',
    limits: 'Limits reached',
    noAccess: 'You don’t have access',
    membersOnly: 'Only members of a publisher see this page.',
    notFound: 'Add-on not found',
    notFoundWhy: 'None of your add-ons is at this address.',
    nothingDone: 'Nothing was done',
    theAddon: 'The add-on',
    wrong: (fields: string) => `This cannot be accepted: ${fields}.`,
    tooOften: (time: string) => `This was done too often. It is possible again ${time}.`,
    /** By the refusal. */
    refusals: {
      'addon-retired': 'The add-on was retired.',
      'addon-public': 'The add-on is public: only a confidential one has secrets.',
      'change-empty': 'Nothing would change: fill in at least one field.',
      'change-invalid': 'The add-on cannot be changed like this.',
      'too-many-changes': 'Too many changes wait for an operator: withdraw one first.',
      'too-many-secrets': 'The add-on has the maximum number of secrets: remove one first.',
      'secret-unknown': 'The add-on has no such secret.',
      'last-secret': 'It is the last secret of the add-on: add another one first.',
      'change-unknown': 'The add-on has no such change.',
      'change-decided': 'The change does not wait any more: it was approved, refused or withdrawn.',
      'change-outdated': 'The change no longer fits the add-on.',
      'signals-unknown': 'The add-on has no signal stream.',
      'addon-unknown': 'None of your add-ons is at this address.',
    },
  },

  /** Why a name is refused. */
  names: {
    empty: 'It must not be empty.',
    long: 'It must have at most 100 characters.',
    lines: 'It must be one line without control characters.',
    invisible:
      'It must not contain invisible characters, joiners or marks that change the direction of writing.',
    other: 'It is not allowed.',
  } satisfies Record<WhyNot, string> as Readonly<Record<WhyNot, string>>,

  mail: {
    hello: (name: string) => `Hello ${name},`,
    invitationSubject: (host: string) => `Your account at ${host}`,
    invitation: (host: string) => `You have an account at ${host}. Choose a password to sign in.`,
    invitationWhy: (host: string) =>
      `You get this mail because the people who run ${host} have created an account for this address.`,
    invitationUnexpected:
      'If you did not expect this mail, ignore it: without the link nobody can use the account.',
    resetSubject: (host: string) => `Choose a new password at ${host}`,
    reset: (host: string) =>
      `Somebody who administers ${host} has started a new password for your account. Choose one to sign in.`,
    forgot: (host: string) =>
      `Somebody, probably you, has asked for a new password for your account at ${host}. Choose one to sign in.`,
    resetWhy: (host: string) => `You get this mail because there is an account for this address at ${host}.`,
    resetUnexpected: 'If you did not expect this mail, ignore it: your password stays as it is.',
    button: 'Choose a password',
    once: (until: string) => `The link works once, until ${until}. Nobody will ever ask you for it.`,
  },
};

/** The entries that every language has. */
export type Words = typeof en;

type Errors = Words['errors'];
/** The errors that are a whole text. */
export type ErrorText = { [K in keyof Errors]: Errors[K] extends string ? K : never }[keyof Errors];
