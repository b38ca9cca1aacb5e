import { ageColumn, nameColumn, textColumn } from '../machinery/columns.ts'
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
 * The votes of the servers (KEP "Coordinated dynamic storage version"). Its kind is also called StorageVersion, but differs
 * from the one of KEP-2339: it has its own group, and its fields at the top level. A projection of the agreement record of
 * the same name.
 */
export interface StorageVersionBallot extends ApiObject {
  readonly selectedVersion: string
  readonly candidateVersions: readonly VersionCandidate[]
}

const candidate = structSchema(
  'VersionCandidate',
  'The vote of one API server: the version it would write if it were alone.',
  {
    apiServerID: { ...text, description: 'The ID of the server.' },
    preferredVersion: {
      ...text,
      description: 'The preferred version. For a server that does not vote: the version it writes.',
    },
  },
  ['apiServerID', 'preferredVersion'],
)

const schema: Schema = {
  ...objectSchema(
    {
      selectedVersion: { ...text, description: 'The version that all voting API servers write.' },
      candidateVersions: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['apiServerID'],
        items: candidate,
        description: 'The vote of each API server. A version is selected when all servers have voted for it.',
      },
    },
    ['selectedVersion', 'candidateVersions'],
  ),
  description:
    'The votes of the API servers for the storage version of one resource, and the selected version.',
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
    textColumn(
      'Selected',
      'The version that all voting API servers write.',
      ({ selectedVersion }) => selectedVersion ?? null,
    ),
    textColumn(
      'Candidates',
      'How many API servers vote for which version.',
      ({ candidateVersions }) => candidateVersions && voices(candidateVersions),
    ),
    ageColumn,
  ],
  strategy: {
    nameRule: storageVersionName,
    verbs: ['get', 'list', 'watch'],
    whyReadOnly:
      'a ballot is written only by the API servers; it shows the StorageAgreement of the same name',
  },
})
