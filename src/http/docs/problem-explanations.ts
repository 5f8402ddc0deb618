import { activationsADay } from '../../domain/organizations/activation.ts';
import type { ProblemKind } from '../answers/problems.ts';

/** What a problem means, and what the caller does about it. Code stands in backticks. */
export type Explanation = { readonly means: string; readonly remedy: string };

/** The type requires an explanation for every problem. */
export const explanations: Readonly<Record<ProblemKind, Explanation>> = {
  'invalid-parameters': {
    means:
      'At least one parameter is unknown, repeated, empty, malformed or out of its range. Nothing is guessed: a page size that is too large is refused, because a smaller one would change what “page 2” means.',
    remedy:
      'Read `errors`: each entry names a `parameter`, says what is wrong (`code`) and what is `allowed`. Follow links as they are: a `cursor` that was changed is refused.',
  },
  'sync-token-expired': {
    means:
      'The changes since this `sync_token` are no longer known: it is older than the service keeps them, or an operator has since corrected the list (an event that could not be applied, a copy of the log).',
    remedy:
      'Start again: follow the link in `_links` and its `next` to the end, and keep the `sync_token` of the first page. What your copy has and the walk does not is gone.',
  },
  'malformed-request': {
    means:
      'The request cannot be read: its address, header or body breaks the rules of its format. An access token that is sent in two ways, twice or in the address counts, too.',
    remedy:
      'Read `detail`, and correct the request. Send an access token once, in the `Authorization` header.',
  },
  'token-missing': {
    means: 'The address is for callers with an access token, and none was sent.',
    remedy: 'Send `Authorization: Bearer` and an access token.',
  },
  'token-unknown': {
    means:
      'The text that was sent is not an access token of this server: it is truncated, from another server, or not a token.',
    remedy: 'Check that the whole token is sent, and that it came from this server.',
  },
  'token-expired': {
    means: 'The access token was valid, but has expired.',
    remedy: 'Get a new one with the refresh token, and repeat the request.',
  },
  'token-revoked': {
    means:
      'The access was ended: by the add-on itself, by the user, or because a code or refresh token was used twice.',
    remedy: 'Delete the tokens. Send the user to `/oauth/authorize` again.',
  },
  'token-for-another-resource': {
    means: 'The access token was requested with `resource`, and is only valid for the resources named there.',
    remedy: 'Use a token for this address: omit `resource`, or name this server’s own address in it.',
  },
  'addon-deactivated': {
    means:
      'The organization has deactivated the add-on. All tokens of that activation are permanently invalid.',
    remedy:
      'Delete the tokens. After an administrator has activated the add-on again, start at `/oauth/authorize`.',
  },
  'addon-suspended': {
    means: 'The operator has suspended the add-on for all organizations.',
    remedy:
      'Keep the tokens and stop calling: they work again when the suspension is lifted. Ask the operator.',
  },
  'access-on-hold': {
    means:
      'An event on which the token depends (of the grant, the activation, the account, the approval or the add-on) cannot be read. Until the operator has resolved this, it is unknown whether the event ended the access.',
    remedy: 'Keep the tokens and stop calling: they may work again. Notify the operator.',
  },
  'not-an-operator': {
    means:
      'The address is for operators, and the account of the token does not have the role operator; or it has it from a sign-in provider that has not confirmed it lately.',
    remedy:
      'Use an administrator token of an operator, for all organizations, or let its user sign in with the provider again.',
  },
  'signal-stream-unknown': {
    means:
      'No stream of the add-on has this id: it was deleted, it is another add-on’s, or it is pushed to and not polled.',
    remedy: 'Read the streams of the add-on at `/ssf/streams`, and make one if there is none.',
  },
  'signal-stream-exists': {
    means: 'An add-on has one stream at a time, and this one has it.',
    remedy: 'Read it at `/ssf/streams`, and change or delete it.',
  },
  'signals-unknown': {
    means: 'No signal stream has the id in the address: it was deleted, or never existed.',
    remedy: 'Look the id up with `GET /operator/api/signals?addon=…`.',
  },
  'expired-messages-unknown': {
    means: 'The address names no kind of records of the host platform.',
    remedy: 'Use one of `GET /operator/api/expired-messages`.',
  },
  'not-a-publisher': {
    means:
      'The address is for members of publishers, and the account belongs to none; or by a sign-in provider that has not confirmed it lately.',
    remedy: 'Let an operator give the role: `grantbook user grant-role ID --role publisher --publisher P`.',
  },
  'publisher-unknown': {
    means: 'No publisher has the id in the address.',
    remedy: 'Look the id up with `GET /operator/api/publishers?search=…`.',
  },
  'grant-unknown': {
    means: 'No grant has the id in the address.',
    remedy: 'Look the id up with `GET /operator/api/grants?organization=…`.',
  },
  'change-refused': {
    means: 'The request is well-formed, but the change is not possible now. Nothing was changed.',
    remedy: 'Read `code` and `detail`: they say what prevents the change, and what to do.',
  },
  'name-ambiguous': {
    means: 'Several things have the name that was sent instead of an id; `candidates` says which.',
    remedy: 'Send the id of the one that is meant.',
  },
  'idempotency-key-running': {
    means:
      'A request with this `Idempotency-Key` was not answered yet, or was interrupted less than half a minute ago.',
    remedy:
      'Send the same request again after the number of seconds in `Retry-After`: it creates nothing twice.',
  },
  'idempotency-key-reused': {
    means: 'Within 24 hours, this `Idempotency-Key` was sent with another method, address or body.',
    remedy: 'Use a new key for each request that makes something, and the same one only to repeat it.',
  },
  'changed-meanwhile': {
    means:
      'Somebody else changed it after the version that `If-Match` names, or after the `revision` of the body. Nothing was changed by this request.',
    remedy:
      'Read `detail`, which says what changed, or `current`, which is what it is now; get it again, decide again, and send the new `ETag` or `revision`.',
  },
  'event-unreadable': {
    means:
      'The log holds an event of this activation, organization, add-on or account that cannot be read. Until it is resolved, decisions that depend on it are refused.',
    remedy: 'Notify the operator, who retries or skips the event: `grantbook parked list`.',
  },
  'insufficient-scope': {
    means: 'The access token is valid, but its scope does not cover this address.',
    remedy:
      'The `scope` in `WWW-Authenticate` is the one that is missing: ask for it at `/oauth/authorize`. The user only approves the new scope.',
  },
  'sign-in-required': {
    means: 'The address is for administrators or auditors, but neither a valid session nor a token was sent.',
    remedy:
      'Send `Authorization: Bearer` and an administrator token. Or sign in at `/sign-in`, and send the session’s cookie: the only way to the audit logs.',
  },
  'not-an-administrator': {
    means:
      'The signed-in user, or the user of the administrator token, does not administer this organization. A token also gets this answer while its user’s right comes from a sign-in provider that has not confirmed it lately.',
    remedy:
      'Let an administrator of the organization do it, or let the user of the token sign in with the provider again.',
  },
  'not-an-auditor': {
    means:
      'The signed-in user is no auditor, or is not assigned to this organization, or the organization does not exist; these cases are not distinguished.',
    remedy:
      'Let the operator give it to an auditor: `grantbook organization add-auditor`. An administrator token does not open the audit log.',
  },
  'administrator-token-unknown': {
    means:
      'The text that was sent is not an administrator token of this server: it is truncated, from another server, or the token of an add-on. A session that was sent with it is ignored.',
    remedy: 'Check that the whole token is sent: it begins with `mkt_admin_`.',
  },
  'administrator-token-expired': {
    means: 'The administrator token was valid, but has expired.',
    remedy: 'Create a new one at `/account`.',
  },
  'administrator-token-revoked': {
    means: 'The administrator token was revoked, or the account that it belongs to was disabled.',
    remedy: 'Delete it. Create a new one at `/account`.',
  },
  'administrator-token-for-another-organization': {
    means: 'The administrator token was made for one organization, and this is not the one.',
    remedy: 'Use a token that was made for this organization, or for all that its user administers.',
  },
  'other-origin': {
    means: 'A page of another site tried to change something with the session of this browser.',
    remedy: 'Send the request from the service’s own origin, or from a program other than a browser.',
  },
  'not-found': {
    means: 'This server has no such address.',
    remedy: 'Compare it with the addresses in the documentation; follow links as they are.',
  },
  'addon-unknown': {
    means: 'There is no add-on with this `client_id`.',
    remedy: 'Check the id against the organization’s list of add-ons.',
  },
  'user-unknown': {
    means: 'There is no user with this id.',
    remedy: 'Check the id against the list of users.',
  },
  'organization-unknown': {
    means: 'There is no organization with this id.',
    remedy: 'Check the id.',
  },
  'never-activated': {
    means: 'There is nothing to deactivate: the add-on was never active for this organization.',
    remedy: 'Nothing: the add-on has no access to the organization.',
  },
  'method-not-allowed': {
    means: 'The address exists, but does not support this method.',
    remedy: 'Use one of the methods in `Allow`.',
  },
  'configuration-url-missing': {
    means:
      'To act for an organization an add-on needs a configuration URL where an administrator sets it up. This one has none.',
    remedy:
      'Ask the add-on’s provider to register a configuration URL. Individual users can allow the add-on without it.',
  },
  'organization-closed': {
    means:
      'The operator of the service has permanently closed the organization. Its add-ons were deactivated.',
    remedy: 'Nothing can be activated for it any more. Ask the operator if it was closed by mistake.',
  },
  'activation-refused-while-suspended': {
    means: 'The operator has suspended the add-on, so it cannot be activated now.',
    remedy: 'Wait until the suspension is lifted. Deactivating is still possible.',
  },
  'addon-retired': {
    means: 'The operator has retired the add-on.',
    remedy: 'It cannot be activated again. Look for another add-on.',
  },
  'too-large': {
    means: 'The body is larger than the limit.',
    remedy: 'Send less.',
  },
  'headers-too-large': {
    means: 'The request line and the header fields are too long together.',
    remedy: 'Shorten the address, or delete old cookies. `detail` contains the limit in bytes.',
  },
  'unsupported-media-type': {
    means: 'The body is not of a type that is read here.',
    remedy: 'Set `Content-Type` to the one in the documentation: forms for OAuth, JSON or nothing elsewhere.',
  },
  'unsupported-content-encoding': {
    means: 'The body is compressed (`Content-Encoding`). Bodies are read as they are.',
    remedy: 'Send the body without `Content-Encoding`.',
  },
  'unsupported-transfer-encoding': {
    means: 'The body is sent with a `Transfer-Encoding` other than `chunked`.',
    remedy: 'Send it with `Content-Length`, or with `Transfer-Encoding: chunked`.',
  },
  'expectation-failed': {
    means: 'The request has an `Expect` other than `100-continue`.',
    remedy: 'Omit `Expect`.',
  },
  'request-timeout': {
    means: 'The request was begun, and did not arrive completely within the time that the server waits.',
    remedy: 'Send it again on a new connection, without pauses.',
  },
  'activated-too-often': {
    means: `The add-on was activated for this organization ${activationsADay} times within 24 hours. Deactivating it always works.`,
    remedy:
      'Wait the number of seconds in `Retry-After`, and find out which program keeps activating and deactivating it.',
  },
  'too-many-requests': {
    means:
      'The add-on has used up its quota, for this organization or user or in all, or has changed or verified its stream of signals, or sent long polls, too often. The request was not carried out, and does not count. `violated-policies` names the quota that was exceeded, `RateLimit-Policy` what is allowed.',
    remedy:
      'Wait the number of seconds in `Retry-After`, and repeat the request. To avoid this, respect the remaining quota in `RateLimit`.',
  },
  'internal-error': {
    means: 'An internal error; it is in the log of the service under the `instance` of the answer.',
    remedy: 'Try again later; if the error persists, report the `instance`.',
  },
  'temporarily-unavailable': {
    means: 'A component that is needed for a correct answer is unavailable or still catching up.',
    remedy: 'Try again after the number of seconds in `Retry-After`, with a little randomness added.',
  },
};
