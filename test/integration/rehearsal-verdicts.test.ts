// A verdict is never stronger than what was played.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadPath } from '@strata/cli/rehearse'
import { type PathStep, playPath, type RehearsalPath, type RehearsalResult } from '@strata/rehearsal'

const folder = join(import.meta.dirname, '../../examples/rehearsals')
const release: PathStep = { deed: { do: 'release', to: 'v1.0', late: [] } }
const born: PathStep = { ...release, objects: 2 }
const upgrade: PathStep = { deed: { do: 'upgrade', to: 'v1.1', late: [] } }
const write: PathStep = { deed: { do: 'write' }, objects: 1 }

async function play(steps: readonly PathStep[], more: Partial<RehearsalPath> = {}): Promise<RehearsalResult> {
  const { path } = await loadPath(join(folder, 'paused-server-unfenced.yaml'))
  return playPath({ ...path, interleavings: 0, ...more, steps })
}

/** `safe`, or the verdict with the first rule that leads to it. */
const verdictsOf = ({ steps }: RehearsalResult): readonly string[] =>
  steps.map(({ verdict, reasons }) => {
    const first = reasons.find(({ level }) => level === verdict)
    return first ? `${verdict}: ${first.rule}` : verdict
  })

const widget = { apiVersion: 'scenes.example.dev/v1beta1', kind: 'Widget', metadata: { name: 'one' } }
const unseen = 'could not see: no-objects'
const cases: ReadonlyArray<[name: string, steps: readonly PathStep[], verdicts: readonly string[]]> = [
  ['nothing is ever created', [release, upgrade], [unseen, unseen]],
  ['a release alone', [release], [unseen]],
  ['no objects were asked for', [{ ...release, objects: 0 }, upgrade], [unseen, unseen]],
  ['objects come with the next step', [release, write, upgrade], ['safe', 'safe', 'safe']],
  ['manifests come with the next step', [release, { ...write, objects: [widget] }], ['safe', 'safe']],
  [
    'manifests of another kind',
    [release, { ...write, objects: [{ ...widget, kind: 'Other' }] }],
    [unseen, 'could not see: unknown-kind'],
  ],
  ['objects come only after an upgrade', [release, upgrade, write], ['safe', unseen, 'safe']],
  ['objects from the beginning', [born, upgrade], ['safe', 'safe']],
]
for (const [name, steps, verdicts] of cases) {
  test(`rehearsal verdicts: ${name}`, async () => {
    assert.deepEqual(verdictsOf(await play(steps)), verdicts)
  })
}

test('rehearsal verdicts: a step names the servers that were not asked', async () => {
  const { steps } = await play([born, { deed: { do: 'freeze', server: 2 } }])
  const notes = steps.map(({ reasons }) =>
    reasons.flatMap(({ rule, message }) => (rule === 'not-asked' ? message : [])),
  )
  assert.deepEqual(notes, [[], ['no object was read through server 2, which is frozen']])
})

test('rehearsal verdicts: an expected interleaving hides nothing that comes after it', async () => {
  const { path } = await loadPath(join(folder, 'paused-server-unfenced.yaml'))
  const { steps, interleavings, passed } = await playPath({ ...path, steps: [...path.steps, write] })
  assert.deepEqual(
    steps.slice(-2).map(({ verdict, expected }) => [verdict, expected]),
    [
      ['unsafe', 'unsafe'],
      ['unsafe', 'safe'],
    ],
  )
  assert.ok(!passed)
  assert.equal(interleavings.found?.step, 6, 'the story is that of the step that is not as expected')
})
