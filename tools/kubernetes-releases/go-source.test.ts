import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  readEnabled,
  readFixtures,
  readGroupName,
  readHashes,
  readKnownKinds,
  readLifecycle,
  readOverrides,
  readVersionPriority,
} from './go-source.ts'

test('the order of versions: the preferred first, those without a place last', () => {
  const install = `
	utilruntime.Must(things.AddToScheme(scheme))
	utilruntime.Must(thingsv1alpha1.AddToScheme(scheme))
	utilruntime.Must(scheme.SetVersionPriority(thingsv1.SchemeGroupVersion,
		v1beta1.SchemeGroupVersion))`
  assert.deepEqual(readVersionPriority(install), ['v1', 'v1beta1', 'v1alpha1'])
})

test('the name of a group, and its kinds', () => {
  const register = `
const GroupName = "things.example.dev"
	scheme.AddKnownTypes(SchemeGroupVersion,
		&Thing{},
		&other.Part{},
	)`
  assert.equal(readGroupName(register), 'things.example.dev')
  assert.deepEqual(readKnownKinds(register), ['Thing', 'Part'])
})

test('when kinds come and go', () => {
  const generated = `
func (in *Thing) APILifecycleIntroduced() (major, minor int) {
	return 1, 8
}
func (in *Thing) APILifecycleRemoved() (major, minor int) {
	return 1, 25
}`
  assert.deepEqual([...readLifecycle(generated, 'Introduced')], [['Thing', 8]])
  assert.deepEqual([...readLifecycle(generated, 'Removed')], [['Thing', 25]])
})

const imports = `
	thingsv1 "k8s.io/api/things/v1"
	partsv1beta1 "k8s.io/kubernetes/pkg/apis/parts/v1beta1"`
const enabled: ReadonlyArray<[form: string, source: string]> = [
  [
    'a call',
    '\tret.EnableVersions(\n\t\tthingsv1.SchemeGroupVersion,\n\t\tpartsv1beta1.SchemeGroupVersion,\n\t)',
  ],
  [
    'lists',
    '\tstableAPIGroupVersionsEnabledByDefault = []schema.GroupVersion{\n\t\tthingsv1.SchemeGroupVersion,\n\t\tpartsv1beta1.SchemeGroupVersion,\n\t}',
  ],
]
for (const [form, source] of enabled) {
  test(`what is served by default: ${form}`, () => {
    const off = '\tbetaDisabledByDefault = []schema.GroupVersion{\n\t\tthingsv1.SchemeGroupVersion,\n\t}'
    assert.deepEqual(readEnabled(`${imports}\n${source}\n${off}`).versions, ['things/v1', 'parts/v1beta1'])
  })
}

test('single resources that are served by default', () => {
  const source = `${imports}
	legacyBetaEnabledByDefaultResources = []schema.GroupVersionResource{
		partsv1beta1.SchemeGroupVersion.WithResource("parts"), // remove later
	}`
  assert.deepEqual(readEnabled(source).resources, [{ version: 'parts/v1beta1', resource: 'parts' }])
})

test('overrides of the stored version; comments are none', () => {
  const source = `
	"k8s.io/kubernetes/pkg/apis/things"
		// things.Resource("olds").WithVersion("v1alpha1"),
		things.Resource("parts").WithVersion("v1beta1"), // remove later`
  const override = { directory: 'things', resource: 'parts', versionName: 'v1beta1' }
  assert.deepEqual(readOverrides(source), [override])
})

test('storage tests: where an object is stored, and when the version goes', () => {
  const source = `
		gvr("things.example.dev", "v1", "things"): {
			ExpectedEtcdPath: "/registry/things/" + namespace + "/one",
		},
		gvr("things.example.dev", "v1beta1", "things"): {
			ExpectedEtcdPath: "/registry/things/" + namespace + "/two",
			ExpectedGVK:      gvkP("things.example.dev", "v1", "Thing"),
			RemovedVersion:   "1.39",
		},
	etcdStorageData[gvr("", "v1", "parts")] = StorageData{
		ExpectedEtcdPath: "/registry/parts/three",
	}`
  const group = 'things.example.dev'
  assert.deepEqual(readFixtures(source), [
    { group, versionName: 'v1', resource: 'things', path: 'things/' },
    {
      ...{ group, versionName: 'v1beta1', resource: 'things', path: 'things/' },
      ...{ storedAs: { group, versionName: 'v1' }, removed: 39 },
    },
    { group: '', versionName: 'v1', resource: 'parts', path: 'parts/three' },
  ])
})

test('a list of hashes', () => {
  assert.deepEqual(
    [...readHashes('\t"apps/v1/deployments": "8aSe+NMegvE=",')],
    [['apps/v1/deployments', '8aSe+NMegvE=']],
  )
})
