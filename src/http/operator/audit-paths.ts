import { auditQuestions, auditSummaries, type AuditQuestion } from '../../tasks/audit-questions.ts';
import { administratorProblems, administratorRefusals, json, noStore } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { organizationId } from '../openapi/examples.ts';
import type { ProblemKind } from '../answers/problems.ts';

const kinds: readonly ProblemKind[] = [
  ...administratorRefusals,
  'not-an-operator',
  'not-an-auditor',
  'organization-unknown',
  'addon-unknown',
  'user-unknown',
  'grant-unknown',
  'change-refused',
  'event-unreadable',
];

const question = (name: AuditQuestion): Operation => ({
  tag: 'Audit logs',
  security: ['administrator-token'],
  id: `audit-${name}`,
  summary: auditSummaries[name],
  description: `What \`grantbook audit ${name}\` prints: for operators, and for auditors about an organization of theirs. It is recorded before it is answered.`,
  query: auditQuestions[name],
  answers: [
    name === 'export'
      ? {
          status: 200,
          description: 'The lines, the manifest last (docs/reference/audit-export.md).',
          headers: noStore,
          body: { kind: 'document', mediaType: 'application/x-ndjson' },
        }
      : json(200, 'As the command line prints it.', 'AuditAnswer', noStore, {
          one: { organization: { id: organizationId, name: 'Harbour Club' } },
        }),
    ...administratorProblems(kinds),
  ],
});

export const auditNames = Object.keys(auditQuestions) as readonly AuditQuestion[];

export const auditPathOf = (name: AuditQuestion): string => `/operator/api/audit/${name}`;

export const auditQuestionPaths: Paths = Object.fromEntries(
  auditNames.map((name) => [auditPathOf(name), { GET: question(name) }]),
);
