import { type RecordDescription } from '../../domain/records/record-resource.ts';
import { snakeCase } from '../../domain/kernel/snake-case.ts';

// Values shared by the examples of several operations.

export const organizationId = '01JD3F8Q5T0C4V7W9XYZ1A2B3C';
export const clientId = '01JD3F9K2M6N8P0Q2R4S6T8V0W';
export const userId = '01JD3FA7B9C1D3E5F7G9H1J3K5';

const kept = {
  version: 1,
  created_at: '2026-04-20T07:15:00.000Z',
  updated_at: '2026-04-20T07:15:00.000Z',
};

export const recordExample = ({ example: { id, record } }: RecordDescription) => ({
  id,
  ...Object.fromEntries(Object.entries(record).map(([name, value]) => [snakeCase(name), value])),
  ...kept,
});

export const tokensExample = {
  access_token: 'mkt_at_Fq3xN0n-8s1vXk4uJ2aB',
  token_type: 'Bearer',
  expires: 3600,
  expires_in: 3600,
  refresh_token: 'mkt_rt_Zb7Lw1c-0d5yPm6tK9eQ',
  scope: 'profiles:read reservations:read',
  organization_id: organizationId,
};
