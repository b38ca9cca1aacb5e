import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Answer, type Answers, discovery, FakeCluster, ok, refusal } from './fake-cluster-for-test.ts'

const name = 'lamps.light.example.dev'
const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const served = discovery([
  {
    ...{ group: 'apiextensions.k8s.io', version: 'v1' },
    resources: [{ name: 'customresourcedefinitions', kind: 'CustomResourceDefinition' }],
  },
  { group: 'light.example.dev', version: 'v2', resources: [{ name: 'lamps', kind: 'Lamp' }] },
])

/** A CRD, and for each change that is sent: whether it is applied, and the answer. */
type Change = (time: number) => { readonly isDone: boolean; readonly answer: Answer | 'as it is' }

interface Given {
  readonly isGone?: (times: number) => boolean
  readonly stored?: string[]
  readonly conditions?: readonly object[]
  readonly accept?: string
}

async function prune(
  t: TestContext,
  change: Change,
  { isGone = () => false, stored = ['v1', 'v2'], conditions = [], accept = 'unknown' }: Given = {},
) {
  let storedVersions = stored
  let revision = 5
  let times = 0
  const definition = () => ({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name, uid: 'u', generation: 2, resourceVersion: String(revision) },
    spec: {
      ...{ group: 'light.example.dev', scope: 'Namespaced', names: { plural: 'lamps', kind: 'Lamp' } },
      versions: ['v1', 'v2'].map((each) => ({ name: each, served: true, storage: each === 'v2' })),
    },
    status: { storedVersions, conditions: [{ type: 'Established', status: 'True' }, ...conditions] },
  })
  const answers: Answers = (method, asked, body) => {
    if (times > 0 && isGone(times)) return 'hang up'
    if (asked === path)
      return ok({ kind: 'CustomResourceDefinitionList', metadata: {}, items: [definition()] })
    if (asked === `${path}/${name}`) return ok(definition())
    if (method !== 'PATCH' || asked !== `${path}/${name}/status`) return served(method, asked, body)
    const { isDone, answer } = change(++times)
    const { metadata } = body as { metadata?: { resourceVersion: string } }
    if (metadata?.resourceVersion !== String(revision)) return refusal(409, 'it has changed')
    if (isDone) {
      storedVersions = ['v2']
      revision++
    }
    return answer === 'as it is' ? ok(definition()) : answer
  }
  const cluster = await FakeCluster.start(t, answers)
  const { code, said } = await cluster.run(['prune', name, '--accept', accept, '-o', 'json'])
  const [report] = JSON.parse(said).definitions
  return { code, times, report }
}

const done = { isDone: true, answer: 'as it is' } as const
const rows: readonly [
  name: string,
  change: Change,
  want: { result: string; storedVersions: unknown; code: number; times: number },
][] = [
  ['done and answered', () => done, { result: 'pruned', storedVersions: ['v2'], code: 0, times: 1 }],
  [
    'done, and the connection is cut before the answer',
    () => ({ isDone: true, answer: 'hang up' }),
    { result: 'pruned', storedVersions: ['v2'], code: 0, times: 1 },
  ],
  [
    'the connection is cut before it is done: it is sent again',
    (time) => (time === 1 ? { isDone: false, answer: 'hang up' } : done),
    { result: 'pruned', storedVersions: ['v2'], code: 0, times: 2 },
  ],
  [
    'a proxy says 502, and it is done',
    () => ({ isDone: true, answer: refusal(502, 'bad gateway') }),
    { result: 'pruned', storedVersions: ['v2'], code: 0, times: 1 },
  ],
  [
    'cut each time, and not done: unknown',
    () => ({ isDone: false, answer: 'hang up' }),
    { result: 'unknown', storedVersions: undefined, code: 6, times: 4 },
  ],
  [
    'cut, then refused: the first may be on its way',
    (time) => ({ isDone: false, answer: time === 1 ? 'hang up' : refusal(403, 'forbidden: no') }),
    { result: 'unknown', storedVersions: undefined, code: 6, times: 2 },
  ],
  [
    'refused: what is stored stands as it was',
    () => ({ isDone: false, answer: refusal(403, 'forbidden: no') }),
    { result: 'refused', storedVersions: ['v1', 'v2'], code: 5, times: 1 },
  ],
]
for (const [what, change, want] of rows) {
  test(`prune: ${what}: ${want.result}`, async (t) => {
    const { code, times, report } = await prune(t, change)
    const { result, storedVersions } = report
    assert.deepEqual({ result, storedVersions, code, times }, want, JSON.stringify(report))
  })
}

test('prune: the server is gone after the change was sent: unknown', async (t) => {
  const { code, report } = await prune(t, () => ({ isDone: false, answer: 'hang up' }), {
    isGone: () => true,
  })
  assert.deepEqual([code, report.result, report.storedVersions], [6, 'unknown', undefined])
  assert.match(report.because, /^the change was sent, and no answer came/)
})

test('prune: storedVersions is short, and a storage migration is running: unknown, and nothing is sent', async (t) => {
  const conditions = [{ type: 'StorageMigrating', status: 'True', reason: 'MigrationRunning' }]
  const given = { stored: ['v2'], conditions, accept: 'proven' }
  const { code, times, report } = await prune(t, () => done, given)
  assert.deepEqual([code, times, report.result, report.storedVersions], [6, 0, 'unknown', ['v2']])
  assert.match(report.because, /^a storage migration is running \(StorageMigrating\)/)
  assert.match(report.next, /^wait until the migration has ended; then strata prune lamps/)
})
