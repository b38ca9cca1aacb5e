import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveredResource } from '@strata/client'
import { type CandidateFacts, decideCandidates } from './decide-candidates.ts'

const verbs = ['get', 'list', 'update']
const served = (
  groupVersion: string,
  resource: string,
  kind: string,
  more: Partial<DiscoveredResource> = {},
): DiscoveredResource => {
  const [group = '', versionName = ''] = groupVersion.includes('/')
    ? groupVersion.split('/')
    : ['', groupVersion]
  return { group, versionName, resource, kind, namespaced: true, verbs, ...more }
}
const everything: CandidateFacts = {
  served: [
    served('v1', 'pods', 'Pod'),
    served('v1', 'events', 'Event'),
    served('extensions/v1beta1', 'daemonsets', 'DaemonSet'),
    served('extensions/v1beta1', 'daemonsets/status', 'DaemonSet'),
    served('apps/v1', 'daemonsets', 'DaemonSet'),
    served('apps/v1', 'daemonsets/status', 'DaemonSet'),
    served('events.k8s.io/v1', 'events', 'Event'),
    served('custom.example.dev/v1', 'things', 'Thing'),
    served('custom.example.dev/v2', 'things', 'Thing'),
    served('aggregated.example.dev/v1', 'others', 'Other'),
    served('aggregated.example.dev/v2', 'others', 'Other'),
    served('authorization.k8s.io/v1', 'reviews', 'Review', { verbs: ['create'] }),
    served('authorization.k8s.io/v1beta1', 'reviews', 'Review', { verbs: ['create'] }),
  ],
  hashes: new Map(),
  foreignGroups: new Set(['custom.example.dev', 'aggregated.example.dev']),
}

test('initializer: K1: of all that is served, daemonsets alone, by the group-version that comes first', () => {
  assert.deepEqual(decideCandidates(everything), [
    { group: 'extensions', resource: 'daemonsets', versionName: 'v1beta1' },
  ])
})

test('initializer: X12: two that have one name and are stored in two places are not one', () => {
  const hashes = new Map([
    ['daemonsets.extensions', 'one'],
    ['daemonsets.apps', 'two'],
  ])
  assert.deepEqual(decideCandidates({ ...everything, hashes }), [])
})
