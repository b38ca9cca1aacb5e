import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadReleaseTable } from '@strata/api/kubernetes-releases'
import { decidePath, type PathQuestion } from './decide-path.ts'
import { decideReturn, describeSteps } from './decide-return.ts'
import { type BuiltInResource, storedBefore } from './stored-before.ts'

const table = await loadReleaseTable()

function builtIn(name: string, from: number, changed: Partial<BuiltInResource> = {}): BuiltInResource {
  const dot = name.indexOf('.')
  return {
    ...{ name, isEmpty: false, written: [], served: table.factsOf(name, from)?.served ?? [] },
    ...(dot < 0
      ? { group: '', resource: name }
      : { group: name.slice(dot + 1), resource: name.slice(0, dot) }),
    ...changed,
  }
}

const claims = 'resourceclaims.resource.k8s.io'
const hpas = 'horizontalpodautoscalers.autoscaling'
const psps = 'podsecuritypolicies.policy'
const optionalClaims = { served: ['resource.k8s.io/v1alpha3'] }

type Row = [
  what: string,
  name: string,
  changed: Partial<BuiltInResource>,
  question: PathQuestion,
  verdict: string,
  step: string | undefined,
  says: RegExp,
]
const rows: readonly Row[] = [
  [
    'one version for ever',
    'configmaps',
    {},
    { from: 19, to: 37 },
    'Safe',
    undefined,
    /1\.37 reads v1; nothing else/,
  ],
  [
    'old versions that are still read',
    'deployments.apps',
    {},
    { from: 24, to: 37 },
    'Safe',
    undefined,
    /apps\/v1/,
  ],
  [
    'a removed version is still read',
    'cronjobs.batch',
    {},
    { from: 21, to: 25 },
    'Safe',
    undefined,
    /batch\/v1beta1/,
  ],
  ['the resource goes', psps, {}, { from: 24, to: 25 }, 'Unsafe', '1.25', /1\.25 does not have the resource/],
  [
    'it goes, and has no objects',
    psps,
    { isEmpty: true },
    { from: 24, to: 26 },
    'Safe',
    undefined,
    /no objects/,
  ],
  [
    'an unread version that may be older than the table',
    hpas,
    {},
    { from: 35, to: 36 },
    'CouldNotSee',
    '1.36',
    /v2beta1 \(stored by no release since 1\.19\)/,
  ],
  [
    'the same, and the birth is known',
    hpas,
    {},
    { from: 35, to: 36, bornAt: 19 },
    'Safe',
    undefined,
    /autoscaling\/v1, autoscaling\/v2;/,
  ],
  [
    'the same, without objects',
    hpas,
    { isEmpty: true },
    { from: 35, to: 36 },
    'Safe',
    undefined,
    /no objects/,
  ],
  [
    'the same, and a StorageState knows',
    hpas,
    { persisted: ['autoscaling/v2'] },
    { from: 35, to: 36 },
    'Safe',
    undefined,
    /autoscaling\/v2;/,
  ],
  [
    'a StorageState with a version that goes',
    hpas,
    { persisted: ['autoscaling/v2beta2'] },
    { from: 35, to: 36 },
    'Unsafe',
    '1.36',
    /may be in autoscaling\/v2beta2/,
  ],
  [
    'a StorageState that does not know the past: the releases tell it',
    'configmaps',
    { persisted: ['Unknown', 'v1'] },
    { from: 36, to: 37 },
    'Safe',
    undefined,
    /1\.37 reads v1; nothing else/,
  ],
  [
    'such a StorageState, and a past older than the table',
    hpas,
    { persisted: ['Unknown', 'autoscaling/v2'] },
    { from: 35, to: 36 },
    'CouldNotSee',
    '1.36',
    /v2beta1 \(stored by no release since 1\.19\)/,
  ],
  [
    'such a StorageState with a version that goes',
    hpas,
    { persisted: ['Unknown', 'autoscaling/v2beta2'] },
    { from: 35, to: 36, bornAt: 30 },
    'Unsafe',
    '1.36',
    /may be in autoscaling\/v2beta2/,
  ],
  [
    'a version that only flags bring, off',
    claims,
    { served: [] },
    { from: 33, to: 34 },
    'Safe',
    undefined,
    /v1beta1/,
  ],
  [
    'a version that only flags bring, on',
    claims,
    optionalClaims,
    { from: 33, to: 34 },
    'CouldNotSee',
    '1.34',
    /v1alpha3 \(stored by 1\.31 to 1\.32\)/,
  ],
  [
    'the same, born before',
    claims,
    optionalClaims,
    { from: 33, to: 34, bornAt: 32 },
    'Unsafe',
    '1.34',
    /may be in resource\.k8s\.io\/v1alpha3/,
  ],
  [
    'the same, born after',
    claims,
    optionalClaims,
    { from: 33, to: 34, bornAt: 33 },
    'Safe',
    undefined,
    /v1beta1/,
  ],
  [
    'an unsafe step on a long way',
    claims,
    optionalClaims,
    { from: 32, to: 37 },
    'Unsafe',
    '1.34',
    /1\.34 reads only/,
  ],
  ['a rollback of one step', claims, {}, { from: 35, to: 34 }, 'Safe', undefined, /resource\.k8s\.io\/v1/],
  [
    'a rollback of two steps',
    claims,
    {},
    { from: 35, to: 33, bornAt: 35 },
    'Unsafe',
    '1.33',
    /resource\.k8s\.io\/v1 /,
  ],
  [
    'a rollback, without objects: new ones may come',
    claims,
    { isEmpty: true },
    { from: 35, to: 33 },
    'Unsafe',
    '1.33',
    /has no objects now, but new ones may be in/,
  ],
  [
    'servers that write another version than the release',
    claims,
    { written: ['resource.k8s.io/v1alpha3'] },
    { from: 33, to: 34 },
    'Unsafe',
    '1.34',
    /v1alpha3/,
  ],
  [
    'servers that write a version that no release has',
    'configmaps',
    { written: ['abcdefghijk='] },
    { from: 36, to: 37 },
    'CouldNotSee',
    '1.37',
    /abcdefghijk=/,
  ],
  ['no step at all', 'configmaps', {}, { from: 36, to: 36 }, 'Safe', undefined, /1\.36 reads v1/],
]
for (const [what, name, changed, question, verdict, step, says] of rows) {
  const born = question.bornAt === undefined ? '' : `, born at 1.${question.bornAt}`
  test(`${name} from 1.${question.from} to 1.${question.to}${born}: ${what}: ${verdict}`, () => {
    const [decided] = decidePath(table, [builtIn(name, question.from, changed)], question)
    assert.deepEqual([decided?.verdict, decided?.step], [verdict, step])
    assert.match(decided?.message ?? '', says)
  })
}

const advices: ReadonlyArray<[question: PathQuestion, changed: Partial<BuiltInResource>, says: string]> = [
  [{ from: 33, to: 34, bornAt: 32 }, optionalClaims, `migrate before 1.34 ("strata migrate ${claims}")`],
  [{ from: 32, to: 34 }, optionalClaims, `migrate at 1.33, before 1.34 ("strata migrate ${claims}")`],
  [
    { from: 33, to: 34 },
    optionalClaims,
    `give --born-at, or migrate before 1.34 ("strata migrate ${claims}")`,
  ],
  [{ from: 35, to: 33 }, {}, `migrate at 1.34, before 1.33 ("strata migrate ${claims}")`],
]
for (const [question, changed, says] of advices) {
  test(`claims from 1.${question.from} to 1.${question.to}: ${says}`, () => {
    const [decided] = decidePath(table, [builtIn(claims, question.from, changed)], question)
    assert.equal(decided?.advice, says)
  })
}

test('with no release on the way that can migrate, the objects have to be saved', () => {
  const name = 'workloads.scheduling.k8s.io'
  const optional = { served: ['scheduling.k8s.io/v1alpha1'] }
  const [decided] = decidePath(table, [builtIn(name, 35, optional)], { from: 35, to: 36 })
  assert.equal(decided?.verdict, 'Unsafe')
  assert.match(decided?.advice ?? '', /^save its objects and delete them before 1\.36: no release on the way/)
})

test('what may be stored: nothing that the release cannot read', () => {
  const { written, possible } = storedBefore(table, builtIn(hpas, 37), { from: 37 })
  assert.deepEqual([written, possible], [['autoscaling/v2'], ['autoscaling/v1', 'autoscaling/v2']])
})

const returns: ReadonlyArray<[name: string, from: number, to: number, step: string | undefined]> = [
  ['configmaps', 19, 37, undefined],
  [hpas, 26, 27, undefined],
  [hpas, 22, 27, '1.27'],
  [claims, 34, 35, undefined],
  [claims, 33, 35, '1.35'],
  [claims, 35, 33, undefined],
]
for (const [name, from, to, step] of returns) {
  test(`${name}: from 1.${from} to 1.${to} and back: ${step === undefined ? 'yes' : `not from ${step}`}`, () => {
    const { noReturns } = decideReturn(table, [builtIn(name, from)], { from, to })
    assert.deepEqual(
      noReturns.map((each) => each.step),
      step === undefined ? [] : [step],
    )
  })
}

test('kinds that only later releases have stay behind after a return', () => {
  const { leftBehind } = decideReturn(table, [], { from: 29, to: 33 })
  assert.ok(!leftBehind.includes('servicecidrs.networking.k8s.io'), 'flags can serve it in 1.29')
  assert.deepEqual(decideReturn(table, [], { from: 36, to: 37 }).leftBehind, [])
  assert.ok(
    decideReturn(table, [], { from: 24, to: 33 }).leftBehind.includes('servicecidrs.networking.k8s.io'),
  )
})

test('each step says what it no longer serves, once', () => {
  const question = { from: 24, to: 27 }
  const served = ['batch/v1', 'batch/v1beta1'].map((apiVersion) => ({ name: 'cronjobs.batch', apiVersion }))
  const verdicts = decidePath(table, [builtIn(psps, 24)], question)
  const nothing = { noReturns: [], leftBehind: [] }
  const steps = describeSteps(table, served, verdicts, nothing, question)
  assert.deepEqual(
    steps.map(({ release, verdict, canComeBack, notServed }) => [
      ...[release, verdict, canComeBack],
      notServed.map(({ apiVersion }) => apiVersion).join(),
    ]),
    [
      ['1.25', 'Unsafe', true, 'batch/v1beta1'],
      ['1.26', 'Safe', true, ''],
      ['1.27', 'Safe', true, ''],
    ],
  )
  assert.equal(steps[0]?.tag, 'v1.25.16')
})
