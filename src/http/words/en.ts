import type { Scope } from '../../domain/access/scope.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import type {
  ActivationProblem,
  InteractionRefused,
  ProviderTroubleKind,
  ScopeWords,
  TaskWords,
  WhyNot,
} from './kinds.ts';
import { countIn } from './plural.ts';
import { reasons } from '../../audit/timeline/revocation-cause.ts';
import type { PartnerChange } from '../../projections/read-models.ts';
import type { EndReason } from '../../audit/timeline/timeline.ts';
import { mostPerPage } from '../contracts/audit.ts';
import type { EventWords } from './event-words.ts';

const count = countIn('en-GB');
const grants = (n: number) => count(n, { one: 'grant', other: 'grants' });
const people = (n: number) => count(n, { one: 'person', other: 'people' });
const codes = (n: number) => count(n, { one: 'code', other: 'codes' });
const seconds = (n: number) => (n === 1 ? 'a second' : count(n, { one: 'second', other: 'seconds' }));

/** What ends: "no grant", "3 grants", "more than 1,000 grants". */
const counted = (n: number, isMore: boolean, forms: { readonly one: string; readonly other: string }) =>
  n === 0 ? `no ${forms.one}` : `${isMore ? 'more than ' : ''}${count(n, forms)}`;
const eventsOf = (n: number, isMore: boolean) =>
  `${count(n, { one: 'event', other: 'events' })}${isMore ? ' or more' : ''}`;

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

type AuditFilter = 'addon' | 'user' | 'grant' | 'type' | 'actor' | 'from' | 'to' | 'days';

const anId = 'an id: 26 digits and capital letters';
const aTime = 'a time such as 2026-05-03T16:20:05Z, or a date';
const aPosition = 'a position such as 1234/1234: two numbers from 0 to 2^64−1';
/** What the filters of the audit log take; programs are answered with it, too. */
const auditAllowed = {
  addon: anId,
  user: anId,
  grant: anId,
  type: 'the type of an event, such as GrantRevoked',
  actor: 'a user id, break-glass, or addon: with a client_id',
  from: aTime,
  to: aTime,
  limit: `a whole number from 1 to ${mostPerPage}`,
  days: 'a whole number of days from 0 to 3650',
  after_grant: anId,
  after: aPosition,
  before: `${aPosition}, or end`,
  order: 'a time that is not before from',
  place: 'before or after, not both',
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
    created: 'Created',
    ascending: 'ascending',
    descending: 'descending',
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
    verified: (platform: string) => `Verified by ${platform}`,
    notVerified: (platform: string) => `Not verified by ${platform}`,
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
    browserZone: 'your browser’s time zone',
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
    show: 'Show password',
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
    madeFor: (who: string) => `Made for you by ${who}`,
    onServers: 'somebody on the servers of this service',
    madeWith: 'Made with another token, and ends with it',
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
  home: {
    title: 'Start page',
    question: 'Where do you want to start?',
    remembered: 'Remembered in this browser. The name in the bar leads there.',
    start: 'Start here',
    startWith: (area: string) => `Start here: ${area}`,
    does: {
      organizations: 'Activate and deactivate add-ons',
      audit: 'See what happened, and who could read what',
      publisher: 'Your own add-ons',
      operator: 'Organizations, users, add-ons and the state of the service',
    },
  },

  /** Pages of administrators. */
  admin: {
    organization: 'Organization',
    addon: 'Add-on',
    publisher: 'Publisher',
    history: 'History',
    historyOf: (organization: string) => `History of ${organization}`,
    grants: 'Grants',
    lastToken: 'Last token',
    activated: 'Activated',
    deactivated: 'Deactivated',
    sees: 'Sees',
    action: 'Action',
    noRecords: 'no access to records',
    notKnown: 'Not known at this moment',
    receipt: 'Receipt',
    /** `by` is null for the operator. */
    doneBy: (time: string, by: string | null) => `${time} by ${by ?? 'the operator'}`,
    by: (by: string | null) => `by ${by ?? 'the operator'}`,
    addonsOf: (organization: string) => `Add-ons of ${organization}`,
    addonsOfOrganization: 'Add-ons of the organization',
    closed: 'The organization is closed: no add-on can be activated for it.',

    activeAddons: 'Active add-ons',
    noOrganizations:
      'You do not administer an organization. The operator of this service makes somebody an administrator.',
    attention: 'Needs attention',
    failingSignals: 'Failing signals',
    more: (n: number) => count(n, { other: 'more' }),
    alikeIn: (organization: string, addons: string) =>
      `${organization}: people could confuse ${addons} with another add-on or publisher.`,
    changedIn: (organization: string, addons: string, days: number) =>
      `${organization}: in the last ${count(days, { one: 'day', other: 'days' })}, the publisher changed ${addons}.`,
    unfinishedIn: (organization: string, addons: string) =>
      `${organization}: set-up is not finished for ${addons}.`,
    unreachableIn: (organization: string, addons: string) =>
      `${organization}: ${addons} cannot be notified of changes of access.`,
    unusedIn: (organization: string, addons: string, days: number) =>
      `${organization}: grants were not used for ${count(days, { one: 'day', other: 'days' })}: ${addons}.`,

    addons: 'Add-ons',
    historyStays: 'Its history stays.',
    lists: { active: 'Active', available: 'Available', deactivated: 'Deactivated' },
    name: 'Name',
    search: 'Search',
    noneFound: 'No add-on of this list has such a name.',
    noneRegistered: 'No add-on is registered yet. The operator of this service registers them.',
    noneActive: 'No add-on is active for this organization.',
    noneAvailable: 'Every add-on is in the other lists: it is active, or was deactivated.',
    noneDeactivated: 'None. An add-on that you deactivate is listed here, with its receipt.',
    showAll: 'Show all of this list',
    seeAvailable: 'See what is available',
    nothingYet: 'nothing yet',
    asksAtMost: 'Asks for at most',
    unfinished: 'Set-up not finished',
    unreachable: 'Cannot be notified',
    activate: 'Activate',
    activateIt: (addon: string) => `Activate ${addon}`,
    leadsTo: (host: string) => `Leads to ${host}`,
    deactivate: 'Deactivate',
    deactivateIt: (addon: string) => `Deactivate ${addon}`,
    onlyForUsers: 'Only for individual users',

    looksLike: (addons: string) =>
      `Its name looks like that of ${addons}. Make sure that it is the add-on that you want.`,
    notOf: (publishers: string) =>
      `It names a publisher who does not look after it: ${publishers} is registered here. Make sure who offers it.`,
    changedByPublisher: 'Changed by its publisher',
    changes: {
      AddonChangeApproved: 'Its addresses',
      AddonSecretAdded: 'New client secret',
      AddonSecretRemoved: 'Client secret removed',
      SignalStreamCreated: 'Signals set up',
      SignalStreamChanged: 'Where and of what it is notified',
    } satisfies Record<PartnerChange['type'], string> as Readonly<Record<PartnerChange['type'], string>>,
    forOrganization: (organization: string) => `For ${organization}`,
    state: 'State',
    states: { active: 'Active', deactivated: 'Deactivated', 'never-activated': 'Never activated' },
    suspendedByOperator: 'by the operator, for all organizations: no token of it works until that is lifted',
    retiredByOperator: 'by the operator, permanently',
    epoch: (n: number) => `(activation epoch ${n})`,
    revocation: 'Revocation',
    revoked: (n: number) => `Complete: ${grants(n)} revoked.`,
    revokedSoon: 'Every token is refused; the events for the log are still being written.',
    refusedMaybe: 'It is currently unknown whether all servers refuse its tokens.',
    /** Codes are those that were never exchanged for tokens. */
    held: (n: number, approvers: number, unredeemed: number) =>
      `${grants(n)}${approvers > 0 ? `, approved by ${people(approvers)}` : ''}${unredeemed > 0 ? `; ${codes(unredeemed)} never exchanged` : ''}`,
    lastUse: 'Last use',
    gotLastToken: (time: string) => `Got its last token on ${time}.`,
    mayHaveUsed:
      'The token may have been used until it expired: what it read is counted, by the hour, for auditors.',
    notifiedOf: 'Notified of',
    notified: {
      push: 'Changes of its access, by pushes to its server',
      poll: 'Changes of its access, when it asks for them',
    },
    notifying: { paused: 'Paused', disabled: 'Switched off' },
    delivered: (n: number, last: string | null) =>
      `${count(n, { one: 'message', other: 'messages' })} delivered${last === null ? '' : `, the last one on ${last}`}.`,
    waiting: (n: number, since: string | null) =>
      n === 0
        ? 'None waiting.'
        : `${count(n, { other: 'waiting' })}${since === null ? '' : ` since ${since}`}.`,
    deliveryFailed: (found: string) => `The last attempt failed: its server ${found}.`,
    pushesFailed: 'Pushes to its server failed.',
    mayAskFor: 'May ask for',
    withoutAccess: (host: string) =>
      `It has no access: set-up is not finished, or all grants have ended. It is set up at ${host}, and then asks for your approval.`,
    finish: 'Finish set-up',
    noConfiguration:
      'It was registered without a configuration URL, so it cannot be activated for an organization. Users can still allow it to read their own records. Ask the operator of this service if it should be available to organizations.',
    whyRetired: 'It was retired, so it cannot be activated again.',
    whySuspended: 'It cannot be activated while it is suspended.',
    activating: (host: string, asks: string) =>
      `Activating sends you to ${host}, where you set the add-on up. It then asks for your approval of at most: ${asks}.`,
    approvedBy: 'Approved by',
    nobodyYet:
      'Nobody yet. An administrator of the organization approves the add-on when it asks for access.',
    allowed: (what: string) => `Allowed: ${what}`,
    grantsSince: (n: number, last: string | null) =>
      `${grants(n)}${last === null ? '' : ` · last token on ${last}`}`,
    latestApprovals: 'Listed are the 100 whose grants were used last; there may be more.',
    grantsStay: 'Grants belong to the organization: they stay valid when somebody leaves it.',

    deactivateQuestion: (addon: string) => `Deactivate ${addon}?`,
    losesAccess: (addon: string, organization: string) =>
      `${addon} will at once lose all access to ${organization}.`,
    stops: 'What stops',
    unknownStop: 'All grants. Their number is currently unknown.',
    nothingStops: 'It has no grants now, and can no longer ask for any.',
    grantsStop: (n: number, approvers: number) =>
      `${markName(grants(n))}, approved by ${markName(people(approvers))}: all their tokens are refused at once and permanently.`,
    codesStop: (n: number) => `${codes(n)} issued and not exchanged for tokens yet.`,
    noLongerSees: (what: string) => `It no longer sees this of the organization: ${what}.`,
    stays: 'What stays',
    staying: [
      'Access that individual users gave to their own records, but without records of this organization.',
      'Data that it has already read may still be stored by it.',
      'You can activate it again. It then needs new approvals: tokens revoked now stay revoked.',
    ],

    receiptOf: (addon: string) => `Receipt: ${addon} was deactivated`,
    noReceiptYet: (addon: string) => `No receipt yet: ${addon} was deactivated`,
    refused: (organization: string) =>
      `All its codes and tokens of this activation for ${organization} are refused on every server.`,
    activatedLater: 'It was activated again later: that is another activation, approved anew.',
    notKnownYet: (mayRepeat: boolean) =>
      `The deactivation is in the log, but it is currently unknown whether all servers refuse the tokens yet. Reload this page${mayRepeat ? ', or deactivate it once more: that changes nothing else' : ''}.`,
    activation: 'Activation',
    activationOf: (epoch: number, done: string) => `Epoch ${epoch}, ${done}`,
    inForce: 'In force',
    inForceAt: (time: string) => `On every server at ${time} at the latest`,
    event: 'Event',
    eventAt: (event: string, position: string) => `${event} at ${position}`,
    ended: 'Ended',
    heldThen: (held: string) => `${held}, as known at that time`,
    nothingRevoked: 'Complete: there was no grant to revoke',
    revocations: (n: number, event: string) =>
      `Complete: the log has ${count(n, { other: event })}, one for each grant and each code that could still be used`,
    someMissing: (event: string) => `Not complete yet: some ${event} may still have to be written.`,
    missing: (n: number, event: string) =>
      `Not complete yet: as far as the read models know, ${count(n, { one: 'grant has', other: 'grants have' })} no ${event} in the log.`,
    lastMissing: (event: string) => `Not complete yet: only the closing ${event} is missing.`,
    reload: 'Reload this page to see the progress.',
    refusedReload: 'Tokens are refused already; reload this page to see the progress.',
    onceMore: 'Deactivate once more',
    theAddon: 'The add-on',
    keepAddress: 'Keep the address of this page, or print it: it is the receipt.',
    fromLog:
      'This page shows the current state of the log. The original receipt also shows when the deactivation took effect.',
    noReceipt: 'No receipt',
    noReceiptWhy: 'This add-on was never deactivated for the organization.',

    grantsOf: (addon: string) => `Grants of ${addon}`,
    grantsHow: (organization: string) =>
      `Each grant lets the add-on read records of ${organization} until it is revoked or expires. Revoking one ends its tokens at once, on every server.`,
    liveGrants: 'Live grants',
    noGrants: 'No live grants. One is made when somebody approves the add-on for the organization.',
    noGrantsHere: 'No live grants on this page.',
    laterGrants: 'Later grants',
    opens: 'Opens',
    nothing: 'nothing',
    since: 'Since',
    lastRead: 'Last read',
    noneKnown: 'None known',
    unusedFor: (days: number) => `Unused for ${count(days, { one: 'day', other: 'days' })}`,
    askRevoke: 'Revoke…',
    revoke: 'Revoke',
    reason: 'Reason (optional), shown in the audit log',
    notRevoked: 'Not revoked',
    badReason: 'The reason must be a text of at most 500 characters on one line.',
    grantNotFound: 'Grant not found',
    grantNotFoundWhy: 'The add-on has no such grant for this organization.',
    grantsOfAddon: 'Grants of the add-on',

    notYours: 'Not your organization',
    notYoursWhy: (email: string) =>
      `Only administrators of an organization see and change its add-ons. You are signed in as ${email}.`,
    addonNotFound: 'Add-on not found',
    addonNotFoundWhy: 'There is no add-on at this address.',
    tooOften: 'Activated too often',
    tooOftenWhy: (most: number, until: string) =>
      `This add-on was activated ${most} times within 24 hours. It can be activated again from ${until}.`,
    problems: {
      'addon-unknown': 'Add-on not found',
      'organization-unknown': 'Organization not found',
      'organization-closed': 'The organization is closed, so no add-on can be activated for it',
      'configuration-url-missing':
        'The add-on has no configuration URL, so it cannot be activated for an organization',
      'activation-refused-while-suspended': 'The add-on is suspended, so it cannot be activated',
      'addon-retired': 'The add-on was retired, so it cannot be activated',
      'not-an-administrator': 'Only administrators of the organization may do this',
      'activated-too-often': 'The add-on was activated too often within a day',
      'never-activated': 'The add-on was never activated for this organization',
    } satisfies Record<ActivationProblem, string> as Readonly<Record<ActivationProblem, string>>,
  },

  /** The page that allows a command line to act for somebody. */
  commandLine: {
    title: 'Allow the command line',
    question: 'Allow the command line?',
    asks: (program: string, roles: string) =>
      `The program ${program} on this computer asks to act for you for a day. It can do everything that you can do as ${roles}:`,
    roles: { operator: 'operator', auditor: 'auditor', publisher: 'member of a publisher' },
    ownAddons: 'look after the add-ons of your publisher',
    changes: 'change add-ons, organizations, users, grants and records',
    reads: 'read audit logs',
    onlyAfter: (command: string) =>
      `Allow it only if you have just run ${command} yourself. You can end it at any time in your account, under administrator tokens.`,
    notForYou:
      'Only operators, auditors and members of publishers can use the command line. Your account has none of these roles.',
    badLinkWhy: 'Only the command line of Grantbook begins this. Nothing was allowed.',
  },

  /** Pages of operators. */
  operator: {
    title: 'Operator',
    forbidden: 'You don’t have access',
    forbiddenWhy: (email: string) => `Only operators see this page. You are signed in as ${email}.`,
    unknown: (noun: string) => `No such ${noun}`,
    unknownWhy: (noun: string) => `There is no ${noun} at this address.`,
    ambiguous: 'Several have this name',
    searchAll: 'Search organizations, users and add-ons',
    searchHow: 'Starts of words of a name, a whole e-mail address, or an id',
    search: 'Search',
    allThatMatch: 'All that match',
    nothingFound:
      'Nothing matches. The search finds starts of words of a name, a whole e-mail address, and ids.',
    counted: (n: string, isMore: boolean) => (isMore ? `more than ${n}` : n),
    lately: (n: string, before: string) => `${n} new in 7 days, ${before} in the 7 before`,
    latest: 'Latest grants',
    noLatest: 'No add-on has been allowed yet.',
    approvedBy: (grant: string, user: string) => `${grant}, approved by ${user}`,
    all: 'All',
    showAll: 'Show all',
    state: 'State',
    nothingHere: 'Nothing on this page.',
    noMatch: 'Nothing matches these filters.',
    none: 'There is none yet.',
    noneMade: 'There is none yet. They appear here when add-ons and users make them.',
    notSearched: (why: string) => `This cannot be searched: ${why}`,
    related: 'Related',
    summary: 'Summary',
    actions: 'Actions',
    save: 'Save',
    /** @param isVerified null: there is no address */
    givenTo: (who: string, isVerified: boolean | null) =>
      `To ${who}${isVerified === null ? ', without an e-mail address' : isVerified ? ', with a verified address' : ', whose address nobody vouches for'}.`,
    endsNow: (what: string) => `This ends now: ${what}.`,
    ends: {
      sessions: (n: number, isMore: boolean) => counted(n, isMore, { one: 'session', other: 'sessions' }),
      grants: (n: number, isMore: boolean) => counted(n, isMore, { one: 'grant', other: 'grants' }),
      activeAddons: (n: number, isMore: boolean) =>
        counted(n, isMore, { one: 'active add-on', other: 'active add-ons' }),
    },
    final: 'This cannot be undone.',
    notDone: (why: string) => `Nothing was done: ${why}`,
    confirm: 'confirm that it cannot be undone.',
    done: (task: string) => `Done: ${task.charAt(0).toLowerCase()}${task.slice(1)}.`,
    unchanged: (task: string) => `${task}: nothing changed, it was so before.`,
    backTo: (noun: string) => `Back to the ${noun}`,
    backToAll: (nouns: string) => `Back to ${nouns}`,
    allowed: (what: string) => `Allowed: ${what}`,
    fieldAllowed: (field: string, what: string) => `"${field}": allowed is ${what}.`,
    fieldProblem: (problem: string) => `It ${problem}.`,
    nobodyNamed: 'Nobody and nothing has this name, address or id.',
    severalMatch: 'Choose one of those that match.',
    oneALine: 'one a line',
    empty: 'none',
    before: 'Before',
    after: 'After',
    newHost: 'New host',
    yes: 'yes',
    no: 'no',
    more: (n: number) => `and ${n} more`,
    grantFor: (addon: string, whose: string) => `${addon} for ${whose}`,
    role: (role: string, organization: string | null, isByClaim: boolean) =>
      `${role}${organization === null ? '' : ` of ${organization}`}${isByClaim ? ', by claim' : ''}`,
    part: (label: string, value: string) => `${label.toLowerCase()}: ${value}`,
    /** Of buttons; the page behind them says it in full. */
    buttons: {
      'activate-addon': 'Activate an add-on',
      'add-auditor': 'Add an auditor',
      'add-secret': 'Create a secret',
      'approve-change': 'Approve the change',
      close: 'Close the organization',
      'create-token': 'Create a token',
      'deactivate-addon': 'Deactivate an add-on',
      erase: 'Erase the account',
      'erase-profile': 'Erase a profile',
      invite: 'Invite a person',
      'refuse-change': 'Refuse the change',
      'remove-secret': 'Remove the secret',
      'revoke-token': 'Revoke the token',
      unlock: 'Reset failed sign-ins',
      'withdraw-change': 'Withdraw',
      'reset-password': 'Reset the password',
    },
    tasks: {
      texts: {},
      patterns: [],
      labels: {
        addons: 'Add-ons',
        approver: 'Approved by',
        client_id: 'Add-on',
        email: 'E-mail address',
        external_id: 'External id',
        email_verified: 'E-mail address verified',
        has_logo: 'Logo',
        id_token_alg: 'ID token algorithm',
        post_logout_redirect_uris: 'Post-logout redirect URIs',
        publisher_id: 'Looked after by',
      },
      values: {},
      refusals: {},
      done: {},
    } satisfies TaskWords as TaskWords,

    /** The page on which operators look at the service itself. */
    service: {
      title: 'Service status',
      refresh: 'Refresh',
      works: (instances: number) =>
        `Everything works: ${count(instances, { one: 'instance', other: 'instances' })} running, and nothing is parked.`,
      attention: (troubles: readonly string[]) => `Needs attention: ${troubles.join('; ')}.`,
      troubles: {
        database: 'the database does not answer',
        keys: (n: number) => `the keys of ${count(n, { one: 'person', other: 'persons' })} are missing`,
        workers: (names: string) => `failing on this instance: ${names}`,
        parked: (n: number) => `${count(n, { one: 'key', other: 'keys' })} parked`,
        pushes: (n: number) => `${count(n, { one: 'add-on', other: 'add-ons' })} cannot be notified by push`,
      },
      reported: (instance: string, time: string) => `Reported by ${instance} on ${time}.`,
      noDatabase: 'The database does not answer, so some sections are missing below.',
      keys: 'Keys of persons',
      keysLost: (n: number, command: string) =>
        `key lost: the keys of ${count(n, { one: 'person', other: 'persons' })} are missing, but were not deleted. Stop all instances and restore the keys with ${command}.`,
      lag: 'Lag of the read models',
      lagHow:
        'One bar for every ten seconds, newest on the right, scaled to the highest lag. Outlined bar: no data.',
      noLag: 'This instance measures no lag.',
      lagOf: (group: string, summary: string) => `Lag of ${group}: ${summary}`,
      noData: 'no data yet',
      behindUnknown: 'unknown now',
      behindNow: (n: number, isMore: boolean) => `${eventsOf(n, isMore)} behind now`,
      behindAtMost: (n: number, isMore: boolean, seconds: number) =>
        `${eventsOf(n, isMore)} at most in the last ${seconds} seconds`,
      checkpoints: 'Checkpoints and leaders',
      group: 'Group',
      checkpoint: 'Checkpoint',
      noCheckpoint: 'nothing yet',
      leader: 'Leader',
      noLeader: 'none',
      instances: 'Running instances',
      instance: 'Instance',
      since: 'Since',
      leads: 'Leads',
      leadsNothing: 'nothing',
      rebuilds: 'Rebuilds',
      noRebuild: 'None is being built.',
      version: (name: string, version: number) => `${name}, version ${version}`,
      events: (n: number) => count(n, { one: 'event', other: 'events' }),
      speed: (n: number) => `${n} events/s`,
      left: (n: number) => `${count(n, { one: 'second', other: 'seconds' })} left`,
      workers: 'Workers of this instance',
      worker: 'Worker',
      state: 'State',
      health: 'Health',
      healths: { ok: 'OK', failing: 'Failing', off: 'Off' },
      parked: 'Parked keys',
      nothingParked: 'Nothing is parked.',
      parkedKeys: (n: number, list: string, retry: string, skip: string) =>
        `${count(n, { one: 'key', other: 'keys' })} parked. Resolve with ${list}, ${retry} and ${skip}.`,
      oldest: 'The oldest of them',
      key: 'Key',
      readModel: 'Read model',
      why: 'Why',
      waits: 'waits',
      eventCount: 'Events',
    },
  },

  /** What happened, where English does not say what programs say. */
  events: {} as EventWords,

  /** The audit log, for auditors and administrators. */
  auditLog: {
    title: 'Audit logs',
    views: 'Views',
    tabs: {
      history: 'What happened',
      grants: 'Grants over time',
      exposure: 'What was read',
      unused: 'Unused access',
      log: 'The log',
      questions: 'Five questions',
    },
    headings: {
      history: (organization: string) => `History of ${organization}`,
      grants: (organization: string) => `Grants of ${organization}`,
      exposure: (organization: string) => `Reads of ${organization}`,
      unused: (organization: string) => `Unused access to ${organization}`,
      log: (organization: string) => `Was anything removed? Asked for ${organization}`,
      questions: (organization: string) => `Questions about ${organization}`,
    },
    logTitle: 'Was anything removed?',
    recorded: 'This search was recorded in the audit log.',
    includes: (position: string) => `Includes events up to position ${position}.`,

    /** The organizations of an auditor. */
    organizations: 'Organizations',
    organization: 'Organization',
    noOrganization: (command: string) =>
      `No organization is assigned to you yet. The operator assigns one with ${command}.`,
    whatHappenedTo: 'What happened to ',
    grantsOf: (organization: string) => `Grants of ${organization} over time`,
    grants: 'Grants',
    questions: 'Questions',
    questionsAbout: (organization: string) => `Five questions about ${organization}`,
    fiveQuestions: 'Five questions',
    searchesRecorded: 'Your searches are recorded in the audit log.',

    /** Filters. */
    cannotBeShown: 'This cannot be shown:',
    allowedFor: (parameter: string, allowed: string) => `${parameter}: allowed is ${allowed}.`,
    allowedIs: (allowed: string) => `Allowed: ${allowed}`,
    show: 'Show',
    everything: 'Everything',
    byPerson: 'By person or grant',
    presets: (days: number) => (days === 0 ? 'Today' : `${days} days`),
    daysInUtc: 'The days of the filters are in UTC.',
    all: 'All',
    filters: {
      addon: { label: 'Add-on', hint: null },
      user: { label: 'User', hint: 'A name, an e-mail address or an id.' },
      grant: { label: 'Grant', hint: 'An id: 26 digits and capital letters.' },
      type: { label: 'Event', hint: null },
      actor: {
        label: 'Who acted',
        hint: 'The name, e-mail address or id of a user, break-glass, or addon: and a client_id.',
      },
      from: { label: 'From', hint: null },
      to: { label: 'To', hint: null },
      days: { label: 'Days without use', hint: 'Default: 90.' },
    } as Readonly<Record<AuditFilter, { readonly label: string; readonly hint: string | null }>>,
    allowed: auditAllowed as Readonly<Record<keyof typeof auditAllowed, string>>,
    notInFuture: 'a time that is not in the future',
    fromCopyOn: (time: string) =>
      `a time from ${time} on, when this log was copied from another one: what was stored before has the time of the copy here`,
    oneOrganization: 'one organization',
    several: (name: string) => `People of this audit log who are called ${name}. Choose one:`,
    nobody: 'the name or e-mail address of somebody in this audit log, or an id',
    groups: {
      access: 'Access',
      activations: 'Add-ons of the organization',
      organization: 'Organization',
      addons: 'Registration of add-ons',
      people: 'Accounts',
      signIn: 'Sign-in',
      signals: 'Signals',
      log: 'Audit log and records',
    },

    /** Events. */
    events: 'Events',
    newest: 'Events, from the newest',
    dropped: (months: string) =>
      `Not complete: the history of ${months} was dropped. An operator can bring it back.`,
    listIn: (zone: string) => `The days and times of the list are in ${zone}.`,
    noEvents: 'No events match these filters.',
    pages: 'Pages',
    earlier: 'Earlier',
    later: 'Later',
    downloads: 'These events as a file:',
    csv: 'CSV',
    ndjson: 'NDJSON',
    withProof: (command: string) => `With proof, for an offline check: ${command}`,
    details: 'Details',
    by: (actor: string) => `by ${actor}`,
    because: (why: string) => `because ${why}`,
    actors: {
      operator: 'the operator',
      'break-glass': 'break-glass (on the command line, without having signed in)',
      service: 'Grantbook',
    },
    grant: 'grant',
    newerVersion: (type: string) => `An event of a newer version: ${type}. This version cannot describe it.`,
    unreadable: (type: string) => `An event of the type ${type}, which cannot be decoded.`,
    reasons,
    reasonWith: (reason: string, time: string, actor: string | null) =>
      `${reason} at ${time}${actor === null ? '' : ` by ${actor}`}`,
    message: (addon: string, event: string, state: string) => `Message to ${addon}: ${event}, ${state}`,
    messageStates: {
      acknowledged: 'acknowledged',
      refused: 'refused by the receiver',
      waiting: 'waiting',
      'waiting-again': 'waiting again after a replay, last answered',
    },
    jti: (jti: string) => `(jti ${jti})`,
    messageOn: (state: string, time: string) => `${state} on ${time}`,
    facts: {
      time: 'Time',
      addon: 'Add-on',
      grant: 'Grant',
      organization: 'Organization',
      user: 'User',
      program: 'By a program',
      event: 'Event',
      cause: 'Cause',
      position: 'Position',
    },
    withToken: (token: string) => `with the administrator token ${token}`,
    eventIn: (type: string, place: string) => `${type} in ${place}`,
    onlyThis: 'Only this',

    /** Grants over time. */
    bars: 'Grants over time',
    noGrants: 'No grants match these filters.',
    chart:
      'Each bar is a grant, from its issue to its end, and leads to its events. Its colour, its pattern and the letter at its end say why it ended. The table below says the same in words.',
    legend: 'Why a grant ended',
    marks: {
      open: 'still open',
      'addon-deactivated': 'the add-on was deactivated',
      'consent-withdrawn': 'the approval was withdrawn',
      'account-disabled': 'the account was disabled',
      'revoked-by-addon': 'the add-on revoked it',
      'revoked-by-operator': 'an operator or administrator revoked it',
      'scope-removed': 'the add-on may no longer ask for a scope',
      'redirect-uri-removed': 'its redirect URI was removed',
      'role-lost': 'the approving user lost the role',
      'addon-retired': 'the add-on was retired',
      'refresh-token-reused': 'a used refresh token was presented again',
      'code-replayed': 'the code was presented a second time',
      'too-many-failed-proofs': 'too many failed proofs',
      'code-expired': 'the code was never exchanged',
      'tokens-expired': 'the tokens expired',
    } as Readonly<Record<EndReason | 'open', string>>,
    now: 'now',
    barFrom: (begin: string, end: string, why: string) => `${begin} to ${end}: ${why}`,
    inWords: 'The same in words',
    approvedBy: 'Approved by',
    opens: 'Opens',
    nothing: 'nothing',
    issued: 'Issued',
    neverExchanged: (issued: string) => `${issued}, never exchanged`,
    lastUsed: 'Last used',
    noRead: 'no read',
    read: (time: string) => `read ${time}`,
    token: (read: string, time: string) => `${read}; token ${time}`,
    ended: 'Ended',
    notYet: 'Not yet',
    endedFor: (time: string, why: string) => `${time}: ${why}`,
    issuedEarlier: 'Grants issued earlier',
    issuedLater: 'Grants issued later',

    /** Unused access. */
    unusedFor: (days: number) => `Access unused for ${count(days, { one: 'day', other: 'days' })}`,
    unusedWhat:
      'Grants that can still get tokens, but have read no list for this long. Refreshing a token does not count as use.',
    none: 'None.',
    inOrder: 'Grants, in the order of their issue',
    lastToken: 'Last token',
    lastRead: 'Last read',
    noReadKnown: 'No read known',
    unusedSince: 'Unused since',

    /** What an add-on could read. */
    chooseAddon: 'Choose an add-on.',
    preparing: 'The answer is being prepared',
    othersFirst: 'Other answers are being prepared; this one is next.',
    eventsRead: (n: number, upTo: string | null) =>
      `${count(n, { other: 'events' })} read${upTo === null ? '' : `, up to ${upTo}`}.`,
    asSoonAsReady: 'This page shows the answer as soon as it is ready.',
    reload: 'Reload',
    could: (addon: string) => `What ${addon} could read`,
    between: (from: string, to: string) => `From ${from} to ${to}.`,
    nothingAlone: 'Nothing.',
    did: 'What it read',
    countedSince: (time: string) =>
      `Counted since ${time}, hour by hour; reads of the last 30 seconds may be missing.`,
    unattributed: (pages: number) =>
      `In addition, ${pages} pages were read whose add-on is unknown, because there were too many at once to count separately.`,
    moreRows: (command: string) =>
      `Not all rows are shown: narrow the period, or ask the operator for ${command}.`,
    access: 'Access that was open, and how many records the lists held',
    recordsOf: 'Records of',
    opened: 'Opened',
    from: 'From',
    to: 'To',
    stillOpen: 'still open at the end',
    records: 'Records',
    noList: 'no list',
    returned: 'Returned pages, and their number of records',
    list: 'List',
    pagesRead: 'Pages',
    fromWhere: 'From where',
    notKnown: 'not known',
    when: 'When',
    fromTo: (from: string, to: string) => `${from} to ${to}`,

    /** The log. */
    wholeLog: 'The log of the whole service',
    headBy: (time: string, head: string) => `By ${time}: ${head}`,
    newestHead: (head: string) => `Newest signed head: ${head}`,
    noHead: 'no signed head.',
    noNewest: 'none.',
    head: (size: number, time: string, root: string) =>
      `${count(size, { one: 'event', other: 'events' })}, signed ${time}, root ${root}`,
    notCompared: 'The log has not been compared with its heads yet.',
    verifyOutside: (command: string) =>
      `You can verify this with a head that you stored outside: ${command}.`,
    matched: (size: number, time: string) =>
      `The first ${count(size, { one: 'event', other: 'events' })} matched all signed heads at the last check, ${time}.`,
    headAmong: 'The head of that time was among them.',
    headNotAmong: 'The head of that time was not among them.',
    noneMissing: 'No event was missing.',
    retentionRemoved: 'Documented retention had removed:',
    removedOf: (category: string, n: number) => `${category}: ${count(n, { one: 'event', other: 'events' })}`,
    noOtherMissing: 'No other event was missing.',

    /** The questions. */
    exposureQuestion: 'What could an add-on read, and what did it read?',
    exposureHint: 'Choose the add-on and the time.',
    grantsQuestion: 'Who allowed it, and when was it last used?',
    grantsHint: 'Each grant with who approved it, its last token and its last read.',
    logQuestion: 'Was anything removed from the log since a day?',
    logHint: 'The signed head of that day, and what was compared with it.',
    unusedQuestion: 'Which add-ons hold access that nobody used for 90 days?',
    unusedHint: 'Or for another number of days.',
    actsQuestion: 'All acts of a user (name, e-mail address or id)',
    willBeRecorded: 'What you search for is recorded in the audit log.',

    /** Messages. */
    openTitle: 'Open the audit log?',
    open: 'Open the audit log',
    otherSite: 'Another site led you here. When you open the audit log, your search is recorded in it.',
    notForYou: 'You don’t have access',
    notForYouWhy: (email: string) =>
      `Only auditors read the audit log of an organization, and only of those that the operator assigned to them. You are signed in as ${email}.`,
    badLink: 'This link is invalid',
    badLinkWhy: 'The address asks for something that does not exist here.',
  },

  /** Pages of publishers. */
  publisher: {
    title: 'Your add-ons',
    none: 'There is no add-on yet. An operator of this service registers the first one for your publisher.',
    howToConnect: 'How an add-on connects',
    noAccess: 'You don’t have access',
    membersOnly: 'Only members of a publisher see this page.',
    tooOften: (time: string) => `This was done too often. It is possible again ${time}.`,
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
    tokenSubject: (host: string) => `A token for your account at ${host}`,
    token: (host: string) =>
      `Somebody else has made an administrator token for your account at ${host}. A program that has it can act as you. Your account page shows who made it.`,
    tokenUntil: (until: string) => `It is valid until ${until}. You can revoke it at any time.`,
    tokenUnexpected: 'If you did not expect this token, revoke it, and ask the people who run the service.',
    tokenButton: 'Open your account',
  },
};

/** The entries that every language has. */
export type Words = typeof en;

type Errors = Words['errors'];
/** The errors that are a whole text. */
export type ErrorText = { [K in keyof Errors]: Errors[K] extends string ? K : never }[keyof Errors];
