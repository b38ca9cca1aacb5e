import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

/** Hashes of resources that upstream's control plane serves as well: its golden table (TestStorageVersionHashes). */
const upstreams: Readonly<Record<string, string>> = {
  '/api/v1/configmaps': 'qFsyl6wFWjQ=',
  '/api/v1/events': 'r2yiGXH7wu8=',
  '/api/v1/limitranges': 'EBKMFVe6cwo=',
  '/api/v1/namespaces': 'Q3oi5N2YM8M=',
  '/api/v1/resourcequotas': '8uhSgffRX6w=',
  '/api/v1/secrets': 'S6u1pOWzb84=',
  '/api/v1/serviceaccounts': 'pbx9ZvyFpBE=',
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': 'Sqi0GUgDaX0=',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies': '6OxvlMmQ6is=',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': 'v9715VZqakg=',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': 'B0wHjQmsGNk=',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': 'jfWCUB31mvA=',
  '/apis/coordination.k8s.io/v1/leases': 'gqkMMb/YqFM=',
  '/apis/events.k8s.io/v1/events': 'r2yiGXH7wu8=',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas': 'GJVAJZSZBIw=',
  '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': 'Kir5PVfvNeI=',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings': '48tpQ8gZHFc=',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles': 'bYE5ZWDrJ44=',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings': 'eGsCzGH6b1g=',
  '/apis/rbac.authorization.k8s.io/v1/roles': '7FuwZcIIItM=',
  '/apis/storagemigration.k8s.io/v1/storageversionmigrations': 'pCjmmKOkLy4=',
}

/** Hashes of resources that it installs elsewhere, or not at all: recomputed from the stored versions. */
const stored: Readonly<Record<string, string>> = {
  // Upstream stores these in v1beta1. Here none is ever stored.
  '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies':
    'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy',
  '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings':
    'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding',
  '/apis/apiregistration.k8s.io/v1/apiservices': 'apiregistration.k8s.io/v1/APIService',
  '/apis/apiservercoordination.k8s.io/v1alpha1/discoverydochashes':
    'apiservercoordination.k8s.io/v1alpha1/DiscoveryDocHashes',
  '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions':
    'internal.apiserver.k8s.io/v1alpha1/StorageVersion',
  '/apis/kube-apiserver.internal.k8s.io/v1alpha1/storageversions':
    'kube-apiserver.internal.k8s.io/v1alpha1/StorageVersion',
  '/apis/lighthouse.example.dev/v1/beacons': 'lighthouse.example.dev/v1/Beacon',
  '/apis/lighthouse.example.dev/v2/beacons': 'lighthouse.example.dev/v1/Beacon',
  '/apis/migration.k8s.io/v1alpha1/storagestates': 'migration.k8s.io/v1alpha1/StorageState',
  '/apis/migration.k8s.io/v1alpha1/storageversionmigrations':
    'migration.k8s.io/v1alpha1/StorageVersionMigration',
  '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations':
    'storagemigration.k8s.io/v1beta1/StorageVersionMigration',
  '/apis/strata.dev/v1alpha1/storageagreements': 'strata.dev/v1alpha1/StorageAgreement',
}

/** Nothing is stored of these. */
const reviews = [
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  '/apis/authorization.k8s.io/v1/localsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  '/apis/strata.dev/v1alpha1/storagecensuses',
  '/apis/strata.dev/v1alpha1/storagereencodes',
  '/apis/strata.dev/v1alpha1/upgradereviews',
]

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')

type Send = Awaited<ReturnType<typeof startServer>>['send']

/** Every resource and part of one that legacy discovery shows, and its hash, or none. */
async function discovered(send: Send): Promise<Record<string, string | undefined>> {
  const { groups } = (await send('GET', '/apis')).body
  const paths = groups.flatMap(({ versions }: { versions: { groupVersion: string }[] }) =>
    versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  )
  const found: Record<string, string | undefined> = {}
  for (const path of ['/api/v1', ...paths]) {
    for (const each of (await send('GET', path)).body.resources) {
      found[`${path}/${each.name}`] = each.storageVersionHash
    }
  }
  return found
}

test('N8: the hash of every resource is upstream’s, or what is stored hashed; of reviews and parts there is none', async () => {
  const { send } = await startServer('n8', { featureGates: { EnableCoordinatedDiscoveryDocument: true } })
  const found = await discovered(send)
  const shown = Object.entries(found).filter(([, hash]) => hash !== undefined)
  const want = {
    ...upstreams,
    ...Object.fromEntries(Object.entries(stored).map(([path, text]) => [path, hashOf(text)])),
  }
  assert.deepEqual(Object.fromEntries(shown), want)
  const isPart = (path: string): boolean => path.split('/').length > (path.startsWith('/apis') ? 5 : 4)
  const none = Object.keys(found).filter((path) => found[path] === undefined && !isPart(path))
  assert.deepEqual(none.toSorted(), reviews)
})

test('N9: the hash of a custom resource is that of what its definition stores, in each version, and moves with it', async () => {
  const { send, simulation } = await startServer('n9')
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const crd = (storage: string) => ({
    metadata: { name: 'crontabs.stable.example.com' },
    spec: {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural: 'crontabs', kind: 'CronTab', singular: 'crontab', listKind: 'CronTabList' },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === storage,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    },
  })
  const both = async (): Promise<(string | undefined)[]> => {
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
    const found = await discovered(send)
    return ['v1', 'v2'].map((name) => found[`/apis/stable.example.com/${name}/crontabs`])
  }
  const made = await send('POST', definitions, crd('v1'))
  assert.equal(made.status, 201)
  const first = hashOf('stable.example.com/v1/CronTab')
  assert.equal(first, 'EdX2FP+L0js=')
  assert.deepEqual(await both(), [first, first])
  const { resourceVersion } = (await send('GET', `${definitions}/crontabs.stable.example.com`)).body.metadata
  const next = crd('v2')
  const put = { ...next, metadata: { ...next.metadata, resourceVersion } }
  assert.equal((await send('PUT', `${definitions}/crontabs.stable.example.com`, put)).status, 200)
  const second = hashOf('stable.example.com/v2/CronTab')
  assert.equal(second, 'TR6IKIUpEME=')
  assert.deepEqual(await both(), [second, second])
})
