import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RecordedStep, servedSteps } from './served-steps.ts'

const crd = JSON.stringify({
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'x.transcripts.dev',
    names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', shortNames: ['gz'], categories: ['shapes'] },
  },
})
const manifests = { 'crd.json': crd, 'w.yaml': 'kind: Gizmo\n', 'a.yaml': 'kind: ConfigMap\n' }
const numbersOf = (...steps: readonly (string | RecordedStep)[]): readonly number[] =>
  servedSteps({
    ...{ name: 'gizmo', manifests },
    steps: steps.map((each) => (typeof each === 'string' ? { cmd: each, expectExit: 0 } : each)),
  }).numbers

const cases: ReadonlyArray<
  [name: string, steps: readonly (string | RecordedStep)[], want: readonly number[]]
> = [
  [
    'steps that name the kind, by any of its names',
    ['gizmos', 'gizmo/w', 'gz w', 'shapes', 'gizmos.v1.x.transcripts.dev'].map(
      (each) => `kubectl get ${each}`,
    ),
    [1, 2, 3, 4, 5],
  ],
  ['steps that name it in a manifest', ['kubectl create -f w.yaml', 'kubectl apply -f w.yaml'], [1, 2]],
  ['creations, for later steps', ['kubectl create -f a.yaml', 'kubectl apply -f a.yaml'], [1]],
  ['steps about other kinds', ['kubectl get cm -n t-gizmo', 'kubectl get cm w -n t-gizmo-gz'], []],
  [
    'steps during which the kind is used',
    [{ cmd: 'kubectl get cm -w', during: ['kubectl delete gz w'], expectExit: 0 }],
    [1],
  ],
  [
    'steps about the CRD',
    [
      'kubectl get crd gizmos.x.transcripts.dev',
      'kubectl wait crd/gizmos.x.transcripts.dev',
      'kubectl get gz',
    ],
    [3],
  ],
  [
    'steps before the CRD and after a change of it',
    [
      'kubectl get gizmos',
      'kubectl create -f crd.json',
      'kubectl get gizmos',
      { cmd: 'kubectl patch crd gizmos.x.transcripts.dev', expectExit: 1 },
      'kubectl get gizmos',
      'kubectl delete crd gizmos.x.transcripts.dev',
      'kubectl get gizmos',
    ],
    [3, 5],
  ],
]
for (const [name, steps, want] of cases) {
  test(`served steps: ${name}`, () => assert.deepEqual(numbersOf(...steps), want))
}

test('served steps: the setup does not create the CRD', () => {
  const setup = ['kubectl create -f crd.json', { cmd: 'kubectl get gizmos' }]
  assert.deepEqual(servedSteps({ name: 'gizmo', manifests, setup, steps: [] }).transcript.setup, [
    { cmd: 'kubectl get gizmos' },
  ])
})
