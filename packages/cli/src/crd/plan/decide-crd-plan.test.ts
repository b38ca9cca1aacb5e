import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionsOf } from '@strata/api'
import { bridgeSpec } from './bridge-definition.ts'
import { type CrdForTest, crdForTest } from './crd-for-test.ts'
import type { CrdPlan, CrdStep, RollbackRisk } from './crd-plan.ts'
import { decideCrdPlan } from './decide-crd-plan.ts'

const gone = (index: number, name: string): string =>
  `CustomResourceDefinition.apiextensions.k8s.io "lamps.light.example.dev" is invalid: status.storedVersions[${index}]: Invalid value: "${name}": missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
const immutable = (path: string, value: string): string =>
  `CustomResourceDefinition.apiextensions.k8s.io "lamps.light.example.dev" is invalid: ${path}: Invalid value: "${value}": field is immutable`
const oldHook = 'https://old.example.dev/convert'
const newHook = 'https://new.example.dev/convert'

/** A step in a few words, to be read in a table. */
function text(step: CrdStep): string {
  switch (step.do) {
    case 'apply':
      return 'apply'
    case 'ask':
      return `ask ${step.version}`
    case 'migrate':
      return `migrate ${step.to}`
    case 'prune':
      return `prune ${step.drop.join(',')}`
    case 'bridge': {
      const marked = step.versions.map((name) => (name === step.storage ? `${name}*` : name))
      const serving = step.serve === undefined ? '' : ` serving ${step.serve}`
      return `bridge ${marked.join(',')} by ${step.conversion}${serving}`
    }
  }
}

interface Row {
  readonly live: CrdForTest
  readonly wanted: CrdForTest
  readonly old?: CrdForTest
  readonly objects?: 'none'
  readonly kind: CrdPlan['kind']
  readonly steps: readonly string[]
  readonly refusal?: string
  readonly rollback: RollbackRisk['verdict']
  readonly missing?: RegExp
}

const rows: Readonly<Record<string, Row>> = {
  'the same file': {
    ...{ live: { versions: 'v1*' }, wanted: { versions: 'v1*' } },
    ...{ kind: 'none', steps: [], rollback: 'accepted' },
  },
  'a version is added': {
    ...{ live: { versions: 'v1*' }, wanted: { versions: 'v1* v2' } },
    ...{ kind: 'apply', steps: ['apply'], rollback: 'accepted' },
  },
  'a version is added and stored: the old file does not know it': {
    ...{ live: { versions: 'v1*' }, wanted: { versions: 'v1 v2*' } },
    ...{ kind: 'apply', steps: ['apply'], rollback: 'refused' },
  },
  'storage moves between versions that both have': {
    ...{ live: { versions: 'v1* v2' }, wanted: { versions: 'v1 v2*' } },
    ...{ kind: 'apply', steps: ['apply'], rollback: 'accepted' },
  },
  'a version goes in which nothing was ever stored': {
    ...{ live: { versions: 'v1alpha1 v1*' }, wanted: { versions: 'v1*' } },
    ...{ kind: 'apply', steps: ['apply'], rollback: 'accepted' },
  },
  'a version goes that a failed migration took out of storedVersions': {
    live: { versions: 'v1alpha1 v1*', migrating: 'MigrationFailed' },
    wanted: { versions: 'v1*' },
    ...{ kind: 'migrate-first', steps: ['migrate v1', 'prune v1alpha1', 'apply'], rollback: 'accepted' },
  },
  'a version goes that a migration has left': {
    live: { versions: 'v1alpha1 v1*', migrating: 'MigrationSucceeded' },
    wanted: { versions: 'v1*' },
    ...{ kind: 'apply', steps: ['apply'], rollback: 'accepted' },
  },
  'a version goes that is in storedVersions': {
    ...{ live: { versions: 'v1alpha1 v1*', stored: ['v1alpha1', 'v1'] }, wanted: { versions: 'v1*' } },
    ...{ kind: 'migrate-first', steps: ['migrate v1', 'prune v1alpha1', 'apply'] },
    ...{ refusal: gone(0, 'v1alpha1'), rollback: 'accepted' },
  },
  'born three versions ago': {
    live: { versions: 'v1alpha1 v1alpha2 v1beta1 v1*', stored: ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1'] },
    wanted: { versions: 'v1beta1 v1*' },
    ...{ kind: 'migrate-first', steps: ['migrate v1', 'prune v1alpha1,v1alpha2,v1beta1', 'apply'] },
    ...{ refusal: gone(0, 'v1alpha1').replace('is invalid: ', 'is invalid: ['), rollback: 'accepted' },
  },
  'the storage version goes, and the new one is there already': {
    ...{ live: { versions: 'v1beta1* v1' }, wanted: { versions: 'v1*' } },
    kind: 'bridge',
    steps: ['bridge v1beta1,v1* by live', 'migrate v1', 'prune v1beta1', 'apply'],
    ...{ refusal: gone(0, 'v1beta1'), rollback: 'accepted' },
  },
  'the storage version goes, and another common one carries the objects': {
    ...{ live: { versions: 'v1alpha1* v1beta1' }, wanted: { versions: 'v1beta1 v1*' } },
    kind: 'bridge',
    steps: ['bridge v1alpha1,v1beta1* by live', 'migrate v1beta1', 'prune v1alpha1', 'apply'],
    ...{ refusal: gone(0, 'v1alpha1'), rollback: 'refused' },
  },
  'of two common versions, the one that is served': {
    ...{ live: { versions: 'v1* v2 v3' }, wanted: { versions: 'v2- v3 v4*' } },
    kind: 'bridge',
    steps: ['bridge v1,v2,v3* by live', 'migrate v3', 'prune v1', 'apply'],
    ...{ refusal: gone(0, 'v1'), rollback: 'refused' },
  },
  'no common version: only the name is rewritten': {
    ...{ live: { versions: 'v1alpha2*' }, wanted: { versions: 'v1*' } },
    kind: 'bridge',
    steps: ['bridge v1alpha2,v1* by wanted', 'migrate v1', 'prune v1alpha2', 'apply'],
    ...{ refusal: gone(0, 'v1alpha2'), rollback: 'refused' },
  },
  'no common version: the webhook of the new file must convert': {
    ...{ live: { versions: 'v1*', webhook: oldHook }, wanted: { versions: 'v2*', webhook: newHook } },
    kind: 'bridge',
    steps: [
      'bridge v1*,v2 by wanted',
      'ask v2',
      'bridge v1,v2* by wanted',
      'migrate v2',
      'prune v1',
      'apply',
    ],
    ...{ refusal: gone(0, 'v1'), rollback: 'refused' },
  },
  'no common version and no object: no webhook is asked': {
    ...{ live: { versions: 'v1*', webhook: oldHook }, wanted: { versions: 'v2*', webhook: newHook } },
    ...{ objects: 'none', kind: 'bridge' },
    steps: ['bridge v1,v2* by wanted', 'migrate v2', 'prune v1', 'apply'],
    ...{ refusal: gone(0, 'v1'), rollback: 'refused' },
  },
  'no common version: a webhook that goes converts nothing': {
    ...{ live: { versions: 'v1*', webhook: oldHook }, wanted: { versions: 'v2*' } },
    ...{ kind: 'impossible', steps: [], refusal: gone(0, 'v1'), rollback: 'accepted' },
    missing: /upgrade first to a release that has both v1 and v2/,
  },
  'a webhook that goes converts what is in other versions first': {
    live: { versions: 'v1 v2*', stored: ['v1', 'v2'], webhook: oldHook },
    wanted: { versions: 'v1 v2*' },
    ...{ kind: 'migrate-first', steps: ['migrate v2', 'prune v1', 'apply'], rollback: 'accepted' },
  },
  'a webhook that goes carries the objects to the new storage version first': {
    ...{ live: { versions: 'v1* v2', webhook: oldHook }, wanted: { versions: 'v1 v2*' } },
    kind: 'bridge',
    steps: ['ask v2', 'bridge v1,v2* by live', 'migrate v2', 'prune v1', 'apply'],
    rollback: 'accepted',
  },
  'a webhook goes that does not know the new storage version': {
    ...{ live: { versions: 'v1*', webhook: oldHook }, wanted: { versions: 'v1 v2*' } },
    ...{ kind: 'impossible', steps: [], rollback: 'accepted', missing: /a webhook, which does not know v2/ },
  },
  'a webhook that goes has nothing left to convert': {
    ...{ live: { versions: 'v1 v2*', webhook: oldHook }, wanted: { versions: 'v1 v2*' } },
    ...{ kind: 'apply', steps: ['apply'], rollback: 'accepted' },
  },
  'the webhook of the live CRD carries the objects to the common version': {
    ...{ live: { versions: 'v1* v2', webhook: oldHook }, wanted: { versions: 'v2*', webhook: oldHook } },
    kind: 'bridge',
    steps: ['ask v2', 'bridge v1,v2* by live', 'migrate v2', 'prune v1', 'apply'],
    ...{ refusal: gone(0, 'v1'), rollback: 'accepted' },
  },
  'a common version that is not served is served for the question': {
    ...{ live: { versions: 'v1* v2-', webhook: oldHook }, wanted: { versions: 'v2*', webhook: oldHook } },
    kind: 'bridge',
    steps: [
      'bridge v1*,v2 by live serving v2',
      'ask v2',
      'bridge v1,v2* by live serving v2',
      'migrate v2',
      'prune v1',
      'apply',
    ],
    ...{ refusal: gone(0, 'v1'), rollback: 'accepted' },
  },
  'a new webhook is asked before storage moves': {
    ...{ live: { versions: 'v1*' }, wanted: { versions: 'v1 v2*', webhook: newHook } },
    ...{ kind: 'bridge', steps: ['bridge v1*,v2 by wanted', 'ask v2', 'apply'], rollback: 'refused' },
  },
  'a webhook that is there is asked at once': {
    ...{ live: { versions: 'v1* v2', webhook: oldHook }, wanted: { versions: 'v1 v2*', webhook: oldHook } },
    ...{ kind: 'apply', steps: ['ask v2', 'apply'], rollback: 'accepted' },
  },
  'no version is served: one is, for the migration': {
    ...{ live: { versions: 'v1alpha1- v1*-', stored: ['v1alpha1', 'v1'] }, wanted: { versions: 'v1*' } },
    kind: 'bridge',
    steps: ['bridge v1alpha1,v1* by live serving v1', 'migrate v1', 'prune v1alpha1', 'apply'],
    ...{ refusal: gone(0, 'v1alpha1'), rollback: 'accepted' },
  },
  'the storage version is not served: it is, for the migration': {
    ...{ live: { versions: 'v1alpha1 v1*-', stored: ['v1alpha1', 'v1'] }, wanted: { versions: 'v1*' } },
    kind: 'bridge',
    steps: ['bridge v1alpha1,v1* by live serving v1', 'migrate v1', 'prune v1alpha1', 'apply'],
    ...{ refusal: gone(0, 'v1alpha1'), rollback: 'accepted' },
  },
  'storedVersions is empty: any version may be stored': {
    ...{ live: { versions: 'v1alpha1 v1*', stored: [] }, wanted: { versions: 'v1*' } },
    ...{ kind: 'migrate-first', steps: ['migrate v1', 'prune v1alpha1', 'apply'], rollback: 'accepted' },
  },
  'storedVersions names a version that neither has': {
    ...{ live: { versions: 'v1*', stored: ['v0', 'v1'] }, wanted: { versions: 'v1* v2' } },
    ...{ kind: 'migrate-first', steps: ['migrate v1', 'prune v0', 'apply'] },
    ...{ refusal: gone(0, 'v0'), rollback: 'accepted' },
  },
  'storedVersions names a version that the new file brings back': {
    ...{ live: { versions: 'v1*', stored: ['v0', 'v1'] }, wanted: { versions: 'v0 v1*' } },
    ...{ kind: 'apply', steps: ['apply'], rollback: 'refused' },
  },
  'back to an older release, whose storage version is newer than its own': {
    ...{ live: { versions: 'v1 v2*', stored: ['v1', 'v2'] }, wanted: { versions: 'v1*' } },
    kind: 'bridge',
    steps: ['bridge v1*,v2 by live', 'migrate v1', 'prune v2', 'apply'],
    ...{ refusal: gone(1, 'v2'), rollback: 'accepted' },
  },
  'the scope changes': {
    ...{ live: { versions: 'v1*' }, wanted: { versions: 'v1*', scope: 'Cluster' } },
    ...{ kind: 'impossible', steps: [], refusal: immutable('spec.scope', 'Cluster'), rollback: 'accepted' },
    missing: /field is immutable[\s\S]*install the new kind beside the old one/,
  },
  'the kind changes': {
    ...{ live: { versions: 'v1*' }, wanted: { versions: 'v1*', kind: 'Light' } },
    ...{ kind: 'impossible', steps: [], refusal: immutable('spec.names.kind', 'Light') },
    ...{ rollback: 'accepted', missing: /field is immutable/ },
  },
  'the new file is not valid': {
    ...{ live: { versions: 'v1*' }, wanted: { versions: 'v1* v2', schema: { type: 'string' } } },
    ...{ kind: 'impossible', steps: [], rollback: 'accepted', missing: /is invalid: .*must be object/ },
  },
  'the CRD is being deleted': {
    ...{ live: { versions: 'v1*', deleting: true }, wanted: { versions: 'v1* v2' } },
    ...{ kind: 'impossible', steps: [], rollback: 'accepted', missing: /is being deleted/ },
  },
  'continued from a bridge: the old CRD is the one from before the bridge': {
    ...{ live: { versions: 'v1alpha1 v1*', stored: ['v1'] }, wanted: { versions: 'v1*' } },
    ...{ old: { versions: 'v1alpha1*' }, kind: 'apply', steps: ['apply'], rollback: 'refused' },
  },
  'continued from a bridge, and the old CRD has what is stored then': {
    ...{ live: { versions: 'v1alpha1 v1*', stored: ['v1'] }, wanted: { versions: 'v1*' } },
    ...{ old: { versions: 'v1alpha1* v1' }, kind: 'apply', steps: ['apply'], rollback: 'accepted' },
  },
  'taken back from a bridge: the plan is the rollback': {
    ...{ live: { versions: 'v1alpha1 v1*', stored: ['v1'] }, wanted: { versions: 'v1alpha1* v1' } },
    ...{ old: { versions: 'v1alpha1* v1' }, kind: 'apply', steps: ['apply'], rollback: 'not applicable' },
  },
  'a webhook leads forward and none leads back': {
    ...{ live: { versions: 'v1*' }, wanted: { versions: 'v2*', webhook: newHook } },
    kind: 'bridge',
    steps: [
      'bridge v1*,v2 by wanted',
      'ask v2',
      'bridge v1,v2* by wanted',
      'migrate v2',
      'prune v1',
      'apply',
    ],
    ...{ refusal: gone(0, 'v1'), rollback: 'lost' },
  },
}

for (const [name, row] of Object.entries(rows)) {
  test(`plan of a CRD: ${name}`, () => {
    const { objects = 'some' } = row
    const old = row.old && crdForTest(row.old)
    const plan = decideCrdPlan({ live: crdForTest(row.live), wanted: crdForTest(row.wanted), objects, old })
    assert.equal(plan.kind, row.kind, plan.missing.join('\n'))
    assert.deepEqual(plan.steps.map(text), row.steps)
    if (row.refusal !== undefined)
      assert.ok(plan.refusal?.startsWith(row.refusal), plan.refusal ?? 'it is accepted')
    else if (row.missing === undefined) assert.equal(plan.refusal, undefined)
    assert.equal(plan.rollback.verdict, row.rollback, plan.rollback.because)
    const missing: RegExp = row.missing ?? /^$/
    assert.match(plan.missing.join('\n'), missing)
  })
}

test('plan of a CRD: a cluster that has none takes the file', () => {
  const { kind, steps, rollback } = decideCrdPlan({
    live: undefined,
    wanted: crdForTest({ versions: 'v1*' }),
  })
  assert.deepEqual([kind, steps.map(text), rollback.verdict], ['apply', ['apply'], 'not applicable'])
})

test('plan of a CRD: moves of the storage version are named with what converts', () => {
  const live = crdForTest({ versions: 'v1alpha1* v1beta1' })
  const { moves } = decideCrdPlan({ live, wanted: crdForTest({ versions: 'v1beta1 v1*' }) })
  assert.deepEqual(moves, [
    { from: 'v1alpha1', to: 'v1beta1', conversion: 'None' },
    { from: 'v1beta1', to: 'v1', conversion: 'None' },
  ])
})

test('bridge: versions of both, the live schema where both have one, storage and serving as the step says', () => {
  const live = crdForTest({ versions: 'v1* v2-', schema: { type: 'object', description: 'live' } })
  const wanted = crdForTest({ versions: 'v2 v3*', schema: { type: 'object', description: 'new' } })
  const versions = ['v1', 'v2', 'v3']
  const spec = bridgeSpec(live, wanted, {
    ...{ do: 'bridge', versions, storage: 'v3', serve: 'v2', conversion: 'live' },
  })
  const seen = versionsOf({ ...live, spec }).map(({ name, served, storage, schema }) => [
    ...[name, served, storage, schema?.openAPIV3Schema?.description],
  ])
  assert.deepEqual(seen, [
    ['v1', true, false, 'live'],
    ['v2', true, false, 'live'],
    ['v3', true, true, 'new'],
  ])
})
