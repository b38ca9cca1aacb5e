import { ageColumn, nameColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, objectSchema, structSchema, text } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { storageVersionName } from './validate-storage-version.ts'

export interface VersionCandidate {
  readonly apiServerID: string
  readonly preferredVersion: string
}

/**
 * Seed 000: what the servers have voted for. Also called StorageVersion, and another kind than that of seed 003: in its
 * own group, with its fields at the top level. A projection of the agreement record of the same name.
 */
export interface StorageVersionBallot extends ApiObject {
  readonly selectedVersion: string
  readonly candidateVersions: readonly VersionCandidate[]
}

const candidate = structSchema(
  'VersionCandidate',
  'What one API server would write if it were alone.',
  {
    apiServerID: { ...text, description: 'The id of the server.' },
    preferredVersion: {
      ...text,
      description: 'The version that it prefers; of a server that does not vote, the version that it writes.',
    },
  },
  ['apiServerID', 'preferredVersion'],
)

const schema: Schema = {
  ...objectSchema(
    {
      selectedVersion: {
        ...text,
        description: 'The version in which every API server that votes stores the resource.',
      },
      candidateVersions: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['apiServerID'],
        items: candidate,
        description:
          'What each API server is for. When all are for the same version, and all are there, it is selected.',
      },
    },
    ['selectedVersion', 'candidateVersions'],
  ),
  description: 'Which version the API servers have selected to store one resource in, and who is for which.',
}

/** `2 for v2, 1 for v1`: the most wanted first. */
function voices(candidates: readonly VersionCandidate[]): string {
  const counts = new Map<string, number>()
  for (const { preferredVersion } of candidates) {
    counts.set(preferredVersion, (counts.get(preferredVersion) ?? 0) + 1)
  }
  return (
    [...counts]
      .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
      .map(([apiVersion, count]) => `${count} for ${apiVersion.slice(apiVersion.indexOf('/') + 1)}`)
      .join(', ') || '<none>'
  )
}

export const storageVersionBallots = defineResource<StorageVersionBallot>({
  group: 'kube-apiserver.internal.k8s.io',
  kind: 'StorageVersion',
  plural: 'storageversions',
  scope: 'Cluster',
  versions: { v1alpha1: identityVersion<StorageVersionBallot>(schema) },
  preferredStorageVersion: 'v1alpha1',
  storagePrefix: 'kube-apiserver.internal.k8s.io/storageversions',
  bootstrap: true,
  columns: [
    nameColumn,
    {
      name: 'Selected',
      type: 'string',
      description: 'The version in which every API server that votes stores the resource.',
      cell: ({ selectedVersion }) => selectedVersion ?? null,
    },
    {
      name: 'Candidates',
      type: 'string',
      description: 'How many API servers are for which version.',
      cell: ({ candidateVersions }) => candidateVersions && voices(candidateVersions),
    },
    ageColumn,
  ],
  strategy: {
    nameRule: storageVersionName,
    verbs: ['get', 'list', 'watch'],
    whyReadOnly:
      'a ballot shows what the API servers have recorded in the StorageAgreement of the same name, and only they write it',
  },
})
