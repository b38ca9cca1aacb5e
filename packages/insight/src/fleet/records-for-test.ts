import type { AgreementEntry, AgreementStatus, Lease, StorageAgreement } from '@strata/api'

export const nowMs = Date.parse('2026-01-01T00:01:30Z')
export const lease = (name: string, instance?: string, spec: Lease['spec'] = {}): Lease => ({
  metadata: {
    name,
    labels: { 'kubernetes.io/hostname': 'h' },
    annotations: {
      'strata.dev/renew-interval-seconds': '10',
      'strata.dev/release': 'x',
      ...(instance === undefined ? {} : { 'strata.dev/instance': instance }),
    },
  },
  spec,
})
export const entry = (serverID: string, encodingVersion: string): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion,
  decodableVersions: ['example.dev/v1', 'example.dev/v2'],
  servedVersions: ['example.dev/v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
})
export const record = (
  servers: readonly AgreementEntry[],
  status: Partial<AgreementStatus> = {},
): StorageAgreement => ({
  metadata: { name: 'example.dev.things' },
  spec: { group: 'example.dev', resource: 'things' },
  status: {
    epoch: 3,
    encodings: [],
    servers,
    conditions: [{ type: 'Fenced', status: 'True', lastTransitionTime: '', reason: '', message: '' }],
    ...status,
  },
})
export const agreedOnV1 = { agreedVersion: 'example.dev/v1', agreedSince: '2026-01-01T00:00:00Z' }
