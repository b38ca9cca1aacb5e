import assert from 'node:assert/strict'
import type { Scene } from './scene.ts'
import { widgetDefinition, widgets } from './widgets.ts'

const rules = [{ rule: '!has(oldSelf.frozen) || !oldSelf.frozen', message: 'it is frozen' }]

/** One invalid object does not end the run. */
export const scene: Scene = {
  thread: 'tektoncd/operator#1753',
  story: 'One object is refused by the validation of its own kind, and the upgrade starts over for ever.',
  async play(ground) {
    await ground.define(widgetDefinition(ground, 'v1', { v1: {} }))
    const [first, ...others] = widgets(ground, 'v1') as { spec: object }[]
    await ground.create([{ ...first, spec: { ...first?.spec, frozen: true } }, ...others])
    const current = widgetDefinition(ground, 'v2', { v1: { rules }, v2: { rules } })
    const name = current.metadata.name
    await ground.define(current)
    const patch = [
      'patch',
      name,
      'a',
      '-n',
      ground.name,
      '--type=merge',
      '-p',
      '{"metadata":{"labels":{"x":"y"}}}',
    ]
    await ground.untilRefused(patch, /it is frozen/)

    const migrated = await ground.strata('migrate', name, '--through-api')
    assert.equal(migrated.code, 1, migrated.said)
    assert.match(migrated.stdout, /\ba\b.*it is frozen/s)
    if (await ground.isStrata()) {
      const counted = await ground.strata('census', name, '-o', 'json')
      const [{ census }] = JSON.parse(counted.stdout).resources
      assert.deepEqual([census.total, census.stale], [5, 1], 'the other four are rewritten')
    }
    const pruned = await ground.strata('prune', name, '--accept', 'observed-clean')
    assert.notEqual(pruned.code, 0, pruned.said)
    assert.equal(await ground.storedVersions(current), '["v1","v2"]')
  },
}
